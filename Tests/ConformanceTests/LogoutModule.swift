import HTTPTesting
import JSON
import TestSupport
import Testing

/// One case of the Foundation's about a logout that the provider tells of (OpenID Connect Back-Channel Logout 1.0).
struct LogoutModule: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the provider does, as a sentence without its subject.
    let provider: String
    /// What that breaks.
    let clause: String
    /// Whether the logout is to be taken, and not to be refused.
    let isTaken: Bool
    var signature = ProviderScript.Signature.right
    let change: ProviderScript.Change<TokenDraft>

    private init(
        _ name: String, _ provider: String, _ clause: String, isTaken: Bool = false,
        signature: ProviderScript.Signature = .right, _ change: @escaping ProviderScript.Change<TokenDraft> = { _ in }
    ) {
        self.name = name
        self.provider = provider
        self.clause = "OpenID Connect Back-Channel Logout \(clause)"
        self.isTaken = isTaken
        self.signature = signature
        self.change = change
    }

    var testDescription: String { name }

    private static let prefix = "oidcc-client-test-rp-backchannel-rpinitlogout"

    static let all = [
        LogoutModule(prefix, "sends a logout token that is right", "§2.5", isTaken: true),
        LogoutModule(
            "\(prefix)-alg-none", "leaves the signature out", "§2.6 step 2", signature: .none
        ) { $0.header[setting: "alg"] = "none" },
        LogoutModule(
            "\(prefix)-wrong-alg", "signs by HS256 under the client's secret", "§2.6 step 3",
            signature: .hmac(key: ScriptedProvider.clientSecret)
        ) { $0.header[setting: "alg"] = "HS256" },
        LogoutModule(
            "\(prefix)-wrong-iss", "signs for another issuer", "§2.6 step 4"
        ) { $0.claims[setting: "iss"] = "https://another.example" },
        LogoutModule(
            "\(prefix)-wrong-aud", "signs for another client", "§2.6 step 4"
        ) { $0.claims[setting: "aud"] = "another-client" },
        LogoutModule(
            "\(prefix)-no-event", "does not say what has happened", "§2.6 step 6"
        ) { $0.claims[setting: "events"] = nil },
        LogoutModule(
            "\(prefix)-wrong-event", "says that something else has happened", "§2.6 step 6"
        ) { $0.claims[setting: "events"] = ["http://schemas.openid.net/event/another": [:]] },
        LogoutModule(
            "\(prefix)-with-nonce", "sends what may be an ID token", "§2.6 step 7"
        ) { $0.claims[setting: "nonce"] = "of-a-request" },
    ]
}

@Suite struct `A relying party that is told of a logout` {
    @Test(arguments: LogoutModule.all)
    func `ends the session, or refuses and leaves it`(_ module: LogoutModule) async throws {
        try await RelyingParty.with(ProviderScript()) { relyingParty in
            let session = try await relyingParty.postCode([:])
            let bearer = ["Authorization": "Bearer \(try #require(session["token"]?.string, "\(session.text)"))"]
            let token = try relyingParty.provider.logoutToken(module)
            let answer = try await relyingParty.call(
                "POST", "/auth/op/backchannel-logout", form: ["logout_token": token])
            let comment = Comment(rawValue: "\(module.name): the provider \(module.provider) (\(module.clause))")
            #expect(answer.status == (module.isTaken ? 200 : 400), comment)
            let user = try await relyingParty.call("GET", "/users/me", headers: bearer)
            #expect(user.status == (module.isTaken ? 401 : 200), comment)
        }
    }
}
