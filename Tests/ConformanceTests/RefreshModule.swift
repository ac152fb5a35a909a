import HTTPTesting
import JSON
import TestSupport
import Testing

/// One case of the Foundation's about a refresh (OpenID Connect Core §12.2), of tokens that the relying party keeps for
/// its user.
struct RefreshModule: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the provider does, as a sentence without its subject.
    let provider: String
    /// Whether the new tokens are to be taken, and not to be refused.
    let isTaken: Bool
    let script: ProviderScript

    private init(
        _ name: String, _ provider: String, isTaken: Bool = false,
        _ change: @escaping ProviderScript.Change<TokenDraft> = { _ in }
    ) {
        self.name = name
        self.provider = provider
        self.isTaken = isTaken
        var script = ProviderScript()
        // So short that the first look finds it over.
        script.tokenResponse = { $0[setting: "expires_in"] = 30 }
        script.refreshedIDToken = change
        self.script = script
    }

    var testDescription: String { name }

    private static let prefix = "oidcc-client-test-refresh-token"

    static let all = [
        RefreshModule(prefix, "signs anew for the same user", isTaken: true),
        RefreshModule("\(prefix)-invalid-issuer", "signs anew for another issuer") {
            $0.claims[setting: "iss"] = "https://another.example"
        },
        RefreshModule("\(prefix)-invalid-sub", "signs anew for another user") {
            $0.claims[setting: "sub"] = "another-subject"
        },
        RefreshModule("\(prefix)-invalid-aud", "signs anew for another client") {
            $0.claims[setting: "aud"] = "another-client"
        },
        RefreshModule("\(prefix)-invalid-azp", "signs anew for another authorized party") {
            $0.claims[setting: "azp"] = "another-client"
        },
    ]
}

@Suite struct `A relying party that refreshes the tokens of its user` {
    @Test(arguments: RefreshModule.all)
    func `takes the new ones, or refuses them`(_ module: RefreshModule) async throws {
        try await RelyingParty.with(module.script, keepsTokens: true) { relyingParty in
            let tokens = try await BrowserSignIn(relyingParty).tokens()
            let bearer = ["Authorization": "Bearer \(try #require(tokens["access_token"]?.string))"]
            let identities = try await relyingParty.call("GET", "/users/me/identities", headers: bearer)
            let identity = try #require(
                identities.json.array?.first?["identity_id"]?.integer, "\(identities.text)")
            let answer = try await relyingParty.call(
                "GET", "/users/me/identities/\(identity)/access-token",
                headers: bearer.merging(["Client-Authorization": RelyingParty.appAuthorization]) { $1 })
            let comment = Comment(
                rawValue: "\(module.name): the provider \(module.provider): \(answer.status) \(answer.text)")
            #expect(relyingParty.provider.record.requests(at: .token) == 2, comment)
            #expect(module.isTaken ? answer.status == 200 : answer.status >= 400, comment)
            #expect((answer["access_token"] != nil) == module.isTaken, comment)
        }
    }
}
