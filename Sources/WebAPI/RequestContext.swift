package import HTTPServer
internal import Providers
internal import SignIn

/// A request on its way to its answer: what was sent, where it comes from, and what is found out that belongs into the
/// log.
package final class RequestContext {
    /// How far a sign-in has come, and what it was.
    enum SignInProgress { case begun, signedIn, newUser, migrated }

    package let request: HTTPRequest
    /// Whom the request comes from, behind proxies too.
    package private(set) lazy var network = clientAddress.network(of: request)
    private let clientAddress: ClientAddress
    /// What it shows of a session of ours.
    var token: PresentedToken { PresentedToken(request) }
    /// Whether an app of ours sends it, as an OAuth client that knows errors as RFC 6749 §5.2 has them.
    var isOfOurApp = false

    // Nothing else that was sent is ever logged.

    /// The name of the provider it is about.
    var provider: String?
    /// The caller's own name for the sign-in, checked to be harmless.
    var correlationID: String?
    /// What went wrong at the provider, if it was asked at all.
    var trouble: ProviderTrouble?
    /// What a provider has told, and what has come of it.
    var receipt: EventReceiver.Receipt?
    /// nil when the request is no sign-in.
    var signIn: SignInProgress?

    init(_ request: HTTPRequest, _ clientAddress: ClientAddress) {
        self.request = request
        self.clientAddress = clientAddress
    }
}
