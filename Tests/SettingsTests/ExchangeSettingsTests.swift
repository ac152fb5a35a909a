import Providers
import Testing

@testable import Settings

@Suite struct `Whether a provider's access tokens sign people in` {
    private static let usual = ["profile: openid", "issuer: https://a.example", "redirectURIs: ['app:/x']"]

    private func loaded(_ lines: [String]) -> LoadedSettings {
        load(leastWith((Self.usual + lines).joined(separator: "\n    ")))
    }

    private func exchange(_ lines: String...) throws -> TokenExchange? {
        let loaded = loaded(lines)
        return try #require(loaded.settings, "\(loaded.faults)").providers.first?.tokenExchange
    }

    @Test func `is no, unless its section says by what proof`() throws {
        #expect(try exchange() == nil)
        #expect(try exchange("tokenExchange: false") == nil)
        #expect(try exchange("tokenExchange: jwt") == TokenExchange(.jwt))
        #expect(
            try exchange("tokenExchange: introspection", "tokenExchangeAudiences: ['https://api.acme.example']")
                == TokenExchange(.introspection, audiences: ["https://api.acme.example"]))
    }

    @Test(arguments: ["true", "True", "yes"]) func `is no question of yes`(value: String) {
        let faults = loaded(["tokenExchange: '\(value)'"]).faults + loaded(["tokenExchange: \(value)"]).faults
        #expect(faults.map(\.key) == Array(repeating: "provider.zenkey.tokenExchange", count: 2))
        for fault in faults { #expect(fault.expected.contains("introspection") && fault.expected.contains("jwt")) }
    }

    @Test(arguments: ["userinfo", "JWT", "''"]) func `takes the two proofs that there are`(value: String) {
        #expect(loaded(["tokenExchange: \(value)"]).faults.map(\.key) == ["provider.zenkey.tokenExchange"])
    }

    @Test func `has no audiences without effect`() {
        let faults = loaded(["tokenExchangeAudiences: [a]"]).faults
        #expect(faults.map(\.key) == ["provider.zenkey.tokenExchangeAudiences"])
        #expect(faults.map(\.kind) == [.notAvailable])
    }

    @Test(arguments: ["requireNonce", "requireChallenge"], ["introspection", "jwt"])
    func `is no where a nonce is demanded, which no access token has`(demand: String, rule: String) {
        let faults = loaded(["tokenExchange: \(rule)", "\(demand): true"]).faults
        #expect(faults.map(\.key) == ["provider.zenkey.tokenExchange"])
        #expect(faults.map(\.kind) == [.conflict] && faults.first?.expected.contains(demand) == true)
    }

    @Test func `is no for carriers, of whom there is more than one behind a section`() {
        let faults = load(leastWith("tokenExchange: jwt")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.tokenExchange"])
    }

    @Test func `needs a client that can prove who it is to ask what a token is good for`() {
        func faults(_ rule: String) -> [String] {
            load(
                """
                provider:
                  zenkey:
                    profile: openid
                    issuer: https://a.example
                    redirectURIs: ['app:/x']
                    clientID: a
                    clientAuthentication: none
                    tokenExchange: \(rule)

                """
            ).faults.map(\.key)
        }
        #expect(faults("introspection") == ["provider.zenkey.tokenExchange"])
        #expect(faults("jwt") == [])
    }

    @Test func `is said by a variable of the environment too`() throws {
        let loaded = load(
            leastWith(Self.usual.joined(separator: "\n    ")),
            environment: [
                "GATEHOUSE_PROVIDER_ZENKEY_TOKEN_EXCHANGE": "jwt",
                "GATEHOUSE_PROVIDER_ZENKEY_TOKEN_EXCHANGE_AUDIENCES": "a,b",
            ])
        #expect(loaded.settings?.providers.first?.tokenExchange == TokenExchange(.jwt, audiences: ["a", "b"]))
    }
}
