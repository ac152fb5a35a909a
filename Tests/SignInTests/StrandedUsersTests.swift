import Accounts
import Providers
import SignIn
import TestSupport
import Testing

@Suite struct `Users stored before the configuration changed` {
    private static let tenant = "11111111-2222-3333-4444-555555555555"

    private static func section(
        _ name: String, _ issuer: String, _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) -> ProviderConfiguration {
        .openID {
            $0.name = name
            $0.issuerSource = .configured(issuer: issuer)
            change(&$0)
        }
    }

    private static func reasons(
        _ provider: String, _ issuer: String, _ sections: [ProviderConfiguration]
    ) -> [StrandedUsers.Reason] {
        StrandedUsers.of([IdentityCount(provider: provider, issuer: issuer, count: 7)], sections).map(\.reason)
    }

    @Test func `who signs in as before is not stranded, also under a former name or another spelling`() {
        let same = Self.section("a", "https://a.example")
        #expect(Self.reasons("a", "https://a.example", [same]).isEmpty)
        let renamed = Self.section("a", "https://b.example") {
            $0.issuerAliases = ["https://a.example": "https://b.example"]
        }
        #expect(Self.reasons("a", "https://a.example", [renamed]).isEmpty)
        let spelled = Self.section("a", "https://b.example") { $0.issuerSpellings = ["https://a.example"] }
        #expect(Self.reasons("a", "https://a.example", [spelled]).isEmpty)
        #expect(Self.reasons("zenkey", "https://carrier.example", [.zenkey()]).isEmpty)
    }

    @Test func `another issuer of a section is told with what it was`() {
        let other = Self.section("a", "https://b.example")
        #expect(Self.reasons("a", "https://a.example", [other]) == [.issuer(now: "https://b.example")])
        let former = StrandedUsers.of(
            [IdentityCount(provider: "a", issuer: "https://a.example", count: 7)], [other])
        #expect(former.map(\.count) == [7] && former.map(\.issuer) == ["https://a.example"])
    }

    @Test func `fewer tenants, and fewer trusted issuers, are the operator's to choose`() {
        let template = "https://login.example/{tenantid}/v2.0"
        let stored = "https://login.example/\(Self.tenant)/v2.0"
        let one = Self.section("a", template) { $0.tenants = .only([Self.tenant]) }
        #expect(Self.reasons("a", stored, [one]).isEmpty)
        let none = Self.section("a", template) { $0.tenants = .only([]) }
        #expect(Self.reasons("a", stored, [none]) == [.narrowed])
        #expect(Self.reasons("zenkey", "https://elsewhere.example", [.zenkey()]) == [.narrowed])
        #expect(Self.reasons("a", "https://other.example", [none]) == [.issuer(now: template)])
    }

    @Test func `a section that is called otherwise is told with those that have its issuer`() {
        let renamed = Self.section("b", "https://a.example")
        #expect(Self.reasons("a", "https://a.example", [renamed]) == [.section(others: ["b"])])
        #expect(Self.reasons("a", "https://c.example", [renamed]) == [.removed])
    }

    @Test func `a name under which another section stores users is nobody's former one`() {
        let alias = Self.section("a", "https://a.example") {
            $0.issuerAliases = ["https://b.example": "https://a.example"]
        }
        let victim = Self.section("b", "https://b.example")
        #expect(FormerIssuers([alias]).names(of: "https://a.example") == ["https://b.example"])
        #expect(FormerIssuers([alias, victim]) == .none)
        #expect(FormerIssuers([victim, alias]) == .none)
        let spelled = Self.section("a", "https://a.example") { $0.issuerSpellings = ["https://b.example"] }
        #expect(FormerIssuers([spelled, victim]) == .none)
        // Two that say different things of one name are both not believed.
        let other = Self.section("c", "https://c.example") {
            $0.issuerAliases = ["https://b.example": "https://c.example"]
        }
        #expect(FormerIssuers([alias, other]) == .none)
    }

    @Test func `two sections at one issuer with one alias agree`() {
        let sections = ["a", "b"].map { name in
            Self.section(name, "https://a.example") {
                $0.issuerAliases = ["https://b.example": "https://a.example"]
            }
        }
        #expect(FormerIssuers(sections).names(of: "https://a.example") == ["https://b.example"])
    }

    @Test func `an operator names a user by the former name of an issuer, too, and by nobody else's`() {
        let renamed = Self.section("a", "https://b.example") {
            $0.issuerAliases = ["https://a.example": "https://b.example"]
        }
        let provider = Provider(renamed)
        #expect(provider.mayHaveIssuedAs("https://a.example") && provider.mayHaveIssuedAs("https://b.example"))
        #expect(!provider.mayIssueAs("https://a.example") && !provider.mayHaveIssuedAs("https://c.example"))
    }
}
