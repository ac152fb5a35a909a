import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Syntax
import Testing

/// A browser's way from the app to the relying party, on to the provider, and back.
struct BrowserSignIn {
    /// What the relying party has done with the provider's answer.
    enum Outcome {
        /// The browser is back at the app, with these parameters.
        case app(URLComponents)
        /// It stays at the relying party, with a page.
        case page(HTTPTestAnswer)
    }

    private let relyingParty: RelyingParty
    private let verifier = Random.token(byteCount: 32)
    let state = Random.token(byteCount: 16)
    let nonce = Random.token(byteCount: 16)

    init(_ relyingParty: RelyingParty) {
        self.relyingParty = relyingParty
    }

    /// - Parameter request: more of what the app asks.
    func outcome(_ request: [String: String] = [:]) async throws -> Outcome {
        let asked = [
            "response_type": "code", "client_id": RelyingParty.appID, "redirect_uri": RelyingParty.appRedirectURI,
            "provider": "op", "scope": RelyingParty.scope(relyingParty.keepsTokens), "state": state, "nonce": nonce,
            "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ]
        let begun = try await relyingParty.call(
            "GET", "/auth/authorize?" + FormText.encode(asked.merging(request) { $1 }))
        let provider = try URLComponents(begun.header("location"))
        // A relying party that already knows of a fault sends nobody to the provider.
        if provider.host == URL(string: RelyingParty.appRedirectURI)?.host { return .app(provider) }
        let back = try await relyingParty.provider.follow(provider.target)
        let cookie = begun.cookies(after: nil).map { ["Cookie": $0] } ?? [:]
        let answer = try await relyingParty.call("GET", back.target, headers: cookie)
        guard let location = answer.header("location") else { return .page(answer) }
        return .app(try URLComponents(location))
    }

    /// The app's code, for tokens.
    func redeem(_ code: String?) async throws -> HTTPTestAnswer {
        let form = [
            "grant_type": "authorization_code", "code": code ?? "", "redirect_uri": RelyingParty.appRedirectURI,
            "client_id": RelyingParty.appID, "client_secret": RelyingParty.appSecret, "code_verifier": verifier,
        ]
        return try await relyingParty.call("POST", "/auth/token", form: form)
    }

    /// The tokens of a sign-in with nothing the matter.
    func tokens() async throws -> HTTPTestAnswer {
        guard case .app(let location) = try await outcome() else { throw URLComponents.NoAddress() }
        let tokens = try await redeem(location["code"])
        try #require(tokens.status == 200, "\(location) \(tokens.text)")
        return tokens
    }

    /// The claims of an ID token, which is the relying party's own.
    static func claims(of token: String?) -> JSONValue {
        let parts = (token ?? "").split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return .null }
        return (try? JSONValue(parsing: bytes)) ?? .null
    }
}
