public import Crypto
public import Syntax

/// The API by which a provider's directory of users is kept, as the operator describes it.
///
/// A reference, since nearly all sign-ins are at providers that have none.
public final class UserAPI: Sendable {
    public enum Version: Sendable, Equatable {
        case of2021
        case v1
    }

    /// By what the API knows us.
    public enum Access: Sendable {
        case token(Secret)
        /// A token that is fetched with these (RFC 6749 §4.4).
        case client(id: String, secret: Secret, tokenEndpoint: EndpointURL)
    }

    /// How credentials are bound in version 1.
    public struct Binding: Sendable {
        public let authenticatorConfigID: String
        public let postBindingRedirectURI: String?

        public init(authenticatorConfigID: String, postBindingRedirectURI: String?) {
            self.authenticatorConfigID = authenticatorConfigID
            self.postBindingRedirectURI = postBindingRedirectURI
        }
    }

    /// What strangers can have done, at most.
    public struct Limits: Sendable, Equatable {
        /// To one name.
        public let mailsPerHour: Int64
        /// Sign-ups and recoveries that wait to be passed on.
        public let pending: Int64
        /// After which time who has signed up and never in is forgotten.
        public let unfinishedSeconds: Int64

        public init(mailsPerHour: Int64, pending: Int64, unfinishedSeconds: Int64) {
            (self.mailsPerHour, self.pending, self.unfinishedSeconds) = (mailsPerHour, pending, unfinishedSeconds)
        }
    }

    public let url: EndpointURL
    public let access: Access
    /// Nil for the API of 2021, which has no such jobs.
    public let binding: Binding?
    /// Where users get the app that keeps their credentials.
    public let authenticatorURL: String
    /// Whether a sign-up may get its link at once, in the place of a mail.
    public let returnsLinks: Bool
    public let limits: Limits

    public init(
        url: EndpointURL, access: Access, binding: Binding?, authenticatorURL: String, returnsLinks: Bool,
        limits: Limits
    ) {
        (self.url, self.access, self.binding, self.authenticatorURL) = (url, access, binding, authenticatorURL)
        (self.returnsLinks, self.limits) = (returnsLinks, limits)
    }

    public var version: Version { binding == nil ? .of2021 : .v1 }

    /// Whether the operator has named a host as one of this API's.
    func isAt(_ host: String) -> Bool {
        if url.host == host { return true }
        guard case .client(_, _, let endpoint) = access else { return false }
        return endpoint.host == host
    }
}
