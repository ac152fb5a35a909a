internal import Crypto
public import HTTPClient
public import JSON
public import Providers
internal import SignIn
import Syntax

/// A carrier that may be had to ask its subscribers, beside all else that a sign-in needs.
extension SignInStage {
    public static let pushHint = "+12065550100"
    public static let pushContext = "Sign in at the counter of Acme, Main Street"
    private static let pushURL = "https://carrier.example/push"
    private static let cancelURL = "https://carrier.example/push/cancel"

    /// What lets a provider take server-initiated sign-ins: a key of its own, since making one takes longer than a
    /// test.
    public static func pushing(_ configuration: inout ProviderConfiguration) {
        configuration.requestSigner = try? RequestSigner(key: TestKeys.otherRSA, keyID: "client-key")
    }

    /// The carrier announces that it asks, and does.
    public func takePushes() {
        var metadata = JSONObject(carrier.metadata.object?.members ?? [])
        metadata[setting: "server_initiated_authorization_endpoint"] = .string(Self.pushURL)
        metadata[setting: "server_initiated_cancel_endpoint"] = .string(Self.cancelURL)
        transport.answer(ProviderConfiguration.discoveryURL, json: .object(metadata))
        answerPush(json: ["auth_req_id": "carriers-own", "expires_in": "3600", "correlation_id": "c"])
        transport.answer(Self.cancelURL, json: [:])
    }

    public func answerPush(json: JSONValue, status: Int = 200) {
        transport.answer(Self.pushURL, .json(json, status: status))
    }

    public func failPush(_ error: HTTPClientError) { transport.fail(Self.pushURL, error) }

    public var pushRequests: [OutboundRequest] { transport.requests(to: Self.pushURL) }
    public var cancelRequests: [OutboundRequest] { transport.requests(to: Self.cancelURL) }

    /// What the last push has asked.
    public func lastPush() throws -> JSONValue {
        guard let request = pushRequests.last, let text = request.bodyText.split(separator: "=").last else {
            return .null
        }
        let payload = Base64URL.decode(String(text.split(separator: ".")[1])) ?? []
        return try JSONValue(parsing: payload)
    }

    /// What the carrier says when the user approves the last push, changed, and the token that it shows.
    public func approval(
        _ changes: [String: String?] = [:], _ change: (inout TokenDraft) -> Void = { _ in }
    ) throws -> (members: [String: String], bearer: String) {
        let asked = try lastPush()
        let idToken = try carrier.idToken {
            $0.claims[setting: "nonce"] = asked["nonce"]
            $0.claims[setting: "context"] = asked["context"]
            change(&$0)
        }
        var members = [
            "auth_req_id": "carriers-own", "state": asked["state"]?.string ?? "", "access_token": "access",
            "id_token": idToken, "scope": "openid",
        ]
        for (name, value) in changes { members[name] = value }
        return (members, asked["client_notification_token"]?.string ?? "")
    }
}
