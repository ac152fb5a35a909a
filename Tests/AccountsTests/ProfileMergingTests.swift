import Testing

@testable import Accounts

@Suite struct `Two profiles that become one` {
    private static func profile(_ provider: String, _ attributes: [String: String], at: Int64) -> Profile {
        var given = Attributes()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { given[name] = value }
        return Profile(
            ProviderStatement(provider: provider, subject: "1", attributes: given, claims: TypedClaims(), at: at))
    }

    @Test func `have the words of both providers, each as its own and since when it has said so`() throws {
        var staying = Self.profile("first", ["name": "Jane Doe"], at: 100)
        staying.absorb(Self.profile("second", ["name": "J. Doe", "postal_code": "90210"], at: 50))
        #expect(staying.carrier["name"] == "Jane Doe" && staying.carrier["postal_code"] == "90210")
        let given = staying.given
        for (name, provider, since) in [("name", "first", 100), ("postal_code", "second", 50)]
            as [(String, String, Int64)]
        {
            let one = try #require(given.first { $0.name == name })
            #expect(one.provider == provider && one.since == since, "\(name)")
        }
    }
}
