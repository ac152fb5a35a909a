import Testing

@testable import Settings

@Suite struct `Aliases of issuers` {
    private static let key = "provider.a.issuerAliases"

    /// Providers by their lines.
    private static func faults(_ sections: [String: [String]]) -> [SettingsError] {
        let names = sections.keys.sorted()
        var yaml = "providers: [\(names.joined(separator: ", "))]\nprovider:\n"
        for name in names {
            yaml += "  \(name):\n    profile: openid\n    clientID: client\n    clientSecret: s3cret\n"
            yaml += "    redirectURIs: ['app:/\(name)']\n"
            yaml += (sections[name] ?? []).map { "    \($0)\n" }.joined()
        }
        return load(yaml).faults
    }

    private static func alias(_ pairs: String...) -> String {
        "issuerAliases: [\(pairs.map { "'\($0)'" }.joined(separator: ", "))]"
    }

    private static let own = "issuer: https://new.example"

    @Test func `lead to the section's own issuer`() {
        #expect(Self.faults(["a": [Self.own, Self.alias("https://old.example=https://new.example")]]).isEmpty)
        let foreign = Self.faults(["a": [Self.own, Self.alias("https://old.example=https://other.example")]])
        #expect(foreign.map(\.key) == [Self.key])
        #expect(foreign.map(\.value) == ["https://old.example=https://other.example"])
    }

    @Test func `claim no users of another section, from either side`() {
        let thief = [Self.own, Self.alias("https://victim.example=https://new.example")]
        let taken = Self.faults(["a": thief, "victim": ["issuer: https://victim.example"]])
        #expect(taken.map(\.key) == [Self.key])
        #expect(taken.first?.expected.contains("provider.victim") == true)
        let given = Self.faults([
            "a": [Self.own, Self.alias("https://old.example=https://new.example")], "b": [Self.own],
        ])
        #expect(given.map(\.key) == [Self.key])
        // As another spelling of the victim's it is the victim's as well.
        let spelled = Self.faults([
            "a": thief, "victim": ["issuer: https://v.example", "issuers: ['https://victim.example']"],
        ])
        #expect(spelled.map(\.key) == [Self.key])
    }

    @Test func `may stand in every section of one issuer alike`() {
        let lines = [Self.own, Self.alias("https://old.example=https://new.example")]
        #expect(Self.faults(["a": lines, "b": lines]).isEmpty)
    }

    @Test func `name each former name once, and the present one`() {
        let twice = Self.faults([
            "a": [
                Self.own,
                Self.alias("https://old.example=https://new.example", "https://old.example=https://new.example"),
            ]
        ])
        #expect(twice.map(\.key) == [Self.key])
        let chain = Self.faults([
            "a": [
                Self.own,
                Self.alias("https://first.example=https://old.example", "https://old.example=https://new.example"),
            ]
        ])
        #expect(chain.map(\.key) == [Self.key])
        #expect(chain.first?.value == "https://first.example=https://old.example")
        let each = Self.alias("https://first.example=https://new.example", "https://old.example=https://new.example")
        #expect(Self.faults(["a": [Self.own, each]]).isEmpty)
    }
}
