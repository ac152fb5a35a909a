import Crypto
import Testing

@testable import Settings

@Suite struct `Operators in the configuration` {
    private static let anna = "anna: {token: 'the-token-of-anna', roles: [support, auditor], expires: 2027-01-31}"

    @Test func `have names, tokens, roles and an end, and need no list`() throws {
        let loaded = load(
            least + "admin:\n  tokens:\n    \(Self.anna)\n    ben-2: {token: 'the-token-of-ben-', roles: [operator]}\n")
        let admin = try #require(loaded.settings, "\(loaded)").admin
        #expect(admin.operators.map(\.name) == ["anna", "ben-2"])
        #expect(admin.operators.map(\.roles) == [[.support, .auditor], [.operator]])
        #expect(admin.operators.map(\.token?.revealedText) == ["the-token-of-anna", "the-token-of-ben-"])
        // The first second of the day on which it is refused.
        #expect(admin.operators.map(\.expiresAt) == [1_801_353_600, nil])
        #expect(admin.token == nil && admin.hasTokens)
    }

    @Test func `have tokens in files, which the environment may name`() throws {
        let file = "admin: {tokens: {anna: {roles: [support], tokenFile: a}}}\n"
        let fromFile = load(least + file, files: ["a": "the-token-of-anna\n"])
        #expect(fromFile.settings?.admin.operators.map(\.token?.revealedText) == ["the-token-of-anna"])
        let variable = load(
            least + "admin: {tokens: {anna: {roles: [support]}}}\n",
            environment: ["GATEHOUSE_ADMIN_TOKENS_ANNA_TOKEN": "another-token-of-anna"])
        #expect(variable.settings?.admin.operators.map(\.token?.revealedText) == ["another-token-of-anna"])
    }

    @Test(arguments: [
        ("anna: {roles: [support]}", "admin.tokens.anna.token"),
        ("anna: {token: 'the-token-of-anna'}", "admin.tokens.anna.roles"),
        ("anna: {token: 'the-token-of-anna', roles: [root]}", "admin.tokens.anna.roles"),
        ("anna: {token: short, roles: [support]}", "admin.tokens.anna.token"),
        ("anna: {token: 'the-token-of-anna', roles: [support], expires: 2027-02-30}", "admin.tokens.anna.expires"),
        ("anna: {token: 'the-token-of-anna', roles: [support], expire: 2027-02-03}", "admin.tokens.anna.expire"),
        ("admin: {token: 'the-token-of-anna', roles: [support]}", "admin.tokens.admin"),
        ("loopback: {token: 'the-token-of-anna', roles: [support]}", "admin.tokens.loopback"),
        ("Anna: {token: 'the-token-of-anna', roles: [support]}", "admin.tokens"),
        ("anna: x", "admin.tokens.anna"),
    ])
    func `that do not hold are faults`(section: String, key: String) {
        let faults = load(least + "admin: {tokens: {\(section)}}\n").faults
        #expect(faults.map(\.key).contains(key), "\(faults)")
        #expect(!faults.contains { "\($0)".contains("the-token-of-anna") })
    }

    @Test func `have a token each`() {
        let same =
            "admin: {token: 'the-token-of-anna', tokens: {anna: {token: 'the-token-of-anna', roles: [support]}}}\n"
        #expect(load(least + same).faults.map(\.key) == ["admin.tokens.anna.token"])
    }

    @Test func `are enough for a listener that others reach`() {
        #expect(load(least + "admin: {host: 0.0.0.0, tokens: {\(Self.anna)}}\n").faults.isEmpty)
        #expect(load(least + "admin: {host: 0.0.0.0, openOnLoopback: true}\n").faults.map(\.key) == ["admin.token"])
    }

    @Test func `are told of once their time is over`() throws {
        let settings = try #require(load(least + "admin: {tokens: {\(Self.anna)}}\n").settings)
        #expect(settings.noticesOfExpiry(now: 1_801_353_599).isEmpty)
        #expect(settings.noticesOfExpiry(now: 1_801_353_600).map(\.key) == ["admin.tokens.anna.expires"])
    }

    @Test func `without tokens may read on loopback, and do everything where that was so before or is asked for`()
        throws
    {
        var settings = try #require(load(least).settings)
        #expect(settings.admin.roleOnLoopback == .auditor)
        try settings.makeWhatIsServed(writtenBefore: true)
        #expect(settings.admin.roleOnLoopback == .operator)
        #expect(settings.noticesOfEarlierMeanings().map(\.key).contains("admin.openOnLoopback"))
        var open = try #require(load(least + "admin: {openOnLoopback: true}\n").settings)
        #expect(open.admin.roleOnLoopback == .operator)
        open = try #require(load(least + "admin: {openOnLoopback: false}\n").settings)
        try open.makeWhatIsServed(writtenBefore: true)
        #expect(open.admin.roleOnLoopback == .auditor)
        #expect(!open.noticesOfEarlierMeanings().map(\.key).contains("admin.openOnLoopback"))
    }
}
