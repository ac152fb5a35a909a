package import Accounts
package import Apps
package import HTTPServer
package import Logging
package import Providers
package import SignIn
import Telemetry

/// A request on its way to its answer: what was sent, where it comes from, and what is found out that belongs into the
/// log.
package final class RequestContext {
    /// How far a sign-in has come, and what it was.
    package enum SignInProgress {
        case begun, signedIn, newUser, migrated
        /// Somebody signed in has shown another identity to be theirs.
        case linked

        init(_ signedIn: SignedIn) {
            self = signedIn.migrated ? .migrated : signedIn.isNewUser ? .newUser : .signedIn
        }
    }

    package let request: HTTPRequest
    /// Whom the request comes from, behind proxies too.
    package private(set) lazy var network = clientAddress.network(of: request)
    /// The trace that it belongs to: the one that is kept of it, else the one that a trusted proxy names; nil for none.
    private(set) lazy var traceID = call.scope?.trace?.id ?? clientAddress.trace(of: request)?.traceID
    private let clientAddress: ClientAddress
    /// What travels with the request to providers, and what is noted there for the log.
    package let call: CallContext
    /// Where what it does comes from, for the audit trail: from a user, until somebody else has shown who they are.
    package let origin: AuditContext
    /// Which operator sends it; nil where none does, or it is not known yet.
    var admitted: AdmittedOperator?
    /// What it shows of a session of ours.
    package var token: PresentedToken { PresentedToken(request) }
    /// Whether an app of ours sends it, or what calls itself one, as an OAuth client that knows errors as RFC 6749 §5.2
    /// has them.
    var isOfOurApp = false

    /// How its sender is told of a user.
    package var responses = ResponseShape.flat

    // Nothing else that was sent is ever logged.

    /// The name of the provider it is about.
    package var provider: String?
    /// What its endpoint has to say besides, in the line about it: it names nobody.
    package var logged: Logger.Metadata = [:]
    /// nil when the request is no sign-in.
    package var signIn: SignInProgress?
    /// Whether it renews a session.
    var isRefresh = false
    /// By what the sign-in was begun; nil while that is not known.
    package var kind: SignInKind?

    init(_ request: HTTPRequest, _ clientAddress: ClientAddress, _ observers: Observers, _ scope: StepScope?) {
        (self.request, self.clientAddress) = (request, clientAddress)
        origin = AuditContext(AuditOrigin(actor: .user, request: request.id))
        call = CallContext(observers, partOf: scope)
    }
}
