public import HTTPClient
internal import JSON
public import Syntax

/// A request that a user be signed out at the provider too (OpenID Connect RP-Initiated Logout 1.0 §2), in either of
/// the two ways that providers have: with the user's browser, or from server to server (TelenorID+'s
/// `custom_logout_endpoint`).
public struct LogoutRequest: Sendable {
    /// The ID token of the session that ends.
    public let idToken: String
    /// What comes back with the browser, or names the request at the provider.
    public let state: String

    public init(idToken: String, state: String) {
        (self.idToken, self.state) = (idToken, state)
    }

    /// What a provider must not be heard repeating.
    public var secrets: [String] { [idToken, state] }

    /// The address at a provider's `end_session_endpoint` that the user's browser is sent to.
    ///
    /// - Parameter redirectURI: where the provider sends it back to, as it is registered there.
    public func address(at endpoint: EndpointURL, clientID: String, redirectURI: String) -> String {
        endpoint.appending(query: [
            ("id_token_hint", idToken), ("client_id", clientID), ("post_logout_redirect_uri", redirectURI),
            ("state", state),
        ]).text
    }

    /// The request to a provider's `custom_logout_endpoint`.
    public func request(to endpoint: EndpointURL, timeout: Duration, policy: OutboundPolicy) -> OutboundRequest {
        var body = JSONWriter(reservingCapacity: idToken.utf8.count + 128)
        body.object { body in
            body.member("id_token_hint", idToken)
            body.member("state", state)
        }
        return OutboundRequest(
            method: .post, url: endpoint,
            headers: [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json")],
            body: body.bytes, timeout: timeout, policy: policy, finishesWhenCancelled: true)
    }
}

/// What became of a request to sign a user out at the provider.
public enum LogoutOutcome: Sendable, Equatable {
    /// The user is signed out there.
    case done
    /// The provider does not do it, and would not if it were asked again.
    case refused
    /// It may do it when it is asked again: it can't be reached, or what lies behind it failed.
    case later

    /// Reads the status of an answer from a `custom_logout_endpoint`: 200; 400 and 401 for what it does not take, 424
    /// where somebody behind it failed.
    public init(status: Int) {
        self =
            switch status {
            case 200..<300: .done
            // RFC 6585 §4, RFC 9110 §15.5.9
            case 424, 429, 408, 500...: .later
            default: .refused
            }
    }
}
