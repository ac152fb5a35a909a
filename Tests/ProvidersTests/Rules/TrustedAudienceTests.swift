import JSON
import Providers
import TestSupport
import Testing

@Suite struct `An audience that is trusted` {
    private static let ours = "ccid-0123456789abcdef"

    @Test(
        arguments: [
            ([ours, "https://api.example"], nil, nil), (["https://api.example", ours, "second"], nil, nil),
            ([ours, "https://api.example", "stranger"], nil, .authorizedParty),
            ([ours, "stranger"], nil, .authorizedParty), ([ours, "https://API.example"], nil, .authorizedParty),
            ([ours, "https://api.example/"], nil, .authorizedParty),
            // It stands beside us, never for us, and is not whom the token was issued to.
            (["https://api.example"], nil, .audience), (["https://api.example", "second"], nil, .audience),
            ([ours, "https://api.example"], "https://api.example", .authorizedParty),
            ([ours, "https://api.example"], ours, nil),
        ] as [([String], String?, IDTokenError?)])
    func `may stand beside ours without an azp`(audiences: [String], party: String?, refused: IDTokenError?) throws {
        let token = try SigningProvider().idToken {
            $0.claims[setting: "aud"] = .array(audiences.map { .string($0) })
            if let party { $0.claims[setting: "azp"] = .string(party) }
        }
        let trusting = verifier(trustedAudiences: ["https://api.example", "second"])
        #expect(try outcome(of: token, by: trusting).failure == refused)
        let others = audiences.contains { $0 != Self.ours }
        if party == nil, audiences.contains(Self.ours), others {
            #expect(try outcome(of: token).failure == .authorizedParty)
        }
    }
}
