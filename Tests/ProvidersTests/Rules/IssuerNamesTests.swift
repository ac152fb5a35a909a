import JOSE
import JSON
import Providers
import TestSupport
import Testing

@Suite struct `The names of an issuer` {
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    private static let other = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let template = "https://login.example/{tenantid}/v2.0"
    private static func name(_ tenant: String) -> String { "https://login.example/\(tenant)/v2.0" }

    private let provider = SigningProvider()

    /// What becomes of a token of an issuer with tenants.
    private func outcome(
        _ names: IssuerNames, iss: String, tid: JSONValue? = nil, keyIssuer: String? = nil
    ) throws -> Result<IDToken, IDTokenError> {
        let token = try provider.idToken {
            $0.claims[setting: "iss"] = .string(iss)
            $0.claims[setting: "tid"] = tid
        }
        var key = try #require(provider.keyDocument["keys"]?.array?.first?.object)
        if let keyIssuer { key[setting: "issuer"] = .string(keyIssuer) }
        let keys = try JWKSet(["keys": [.object(key)]], maximumKeyCount: 1)
        return try ProvidersTests.outcome(of: token, keys: keys, by: verifier(names: names))
    }

    @Test func `are stored under the configured one, however tokens write it`() throws {
        let names = IssuerNames("https://accounts.example", spellings: ["accounts.example"])
        for spelling in ["https://accounts.example", "accounts.example"] {
            #expect(try outcome(names, iss: spelling).get().issuer == "https://accounts.example")
            #expect(names.stored(spelling) == "https://accounts.example" && names.includes(spelling))
        }
        for other in ["https://accounts.example/", "http://accounts.example", "Accounts.example", ""] {
            #expect(try outcome(names, iss: other).failure == .issuer)
            #expect(names.stored(other) == nil && !names.includes(other))
        }
    }

    @Test func `with tenants are those of the tenants that are let in`() throws {
        let names = IssuerNames(Self.template, tenants: .only([Self.tenant]))
        let tenant = Self.name(Self.tenant)
        #expect(try outcome(names, iss: tenant, tid: .string(Self.tenant)).get().issuer == tenant)
        #expect(try outcome(names, iss: Self.name(Self.other), tid: .string(Self.other)).failure == .issuer)
        #expect(names.stored(tenant) == tenant && names.stored(Self.name(Self.other)) == nil)
        let anybody = IssuerNames(Self.template, tenants: .any)
        #expect(try outcome(anybody, iss: Self.name(Self.other), tid: .string(Self.other)).isSuccess)
        let nobody = IssuerNames(Self.template)
        #expect(try outcome(nobody, iss: tenant, tid: .string(Self.tenant)).failure == .issuer)
    }

    @Test(arguments: [nil, .string(other), "", .null, 7, .string(tenant.uppercased())] as [JSONValue?])
    func `with tenants must agree with the tenant that the token names`(tid: JSONValue?) throws {
        let names = IssuerNames(Self.template, tenants: .any)
        #expect(try outcome(names, iss: Self.name(Self.tenant), tid: tid).failure == .issuer)
    }

    @Test(arguments: [
        template, "https://login.example/common/v2.0", "https://login.example//v2.0", "https://login.example/v2.0",
        "https://login.example/\(tenant)/v2.0/", "https://login.example/\(tenant)/v1.0",
        "https://evil.example/\(tenant)/v2.0", "https://login.example/\(tenant.uppercased())/v2.0",
        "https://login.example/72f988bf-86f1-41af-91ab-2d7cd011db4g/v2.0",
    ])
    func `with tenants have a tenant where the template has its place`(name: String) throws {
        let names = IssuerNames(Self.template, tenants: .any)
        #expect(names.stored(name) == nil)
        #expect(try outcome(names, iss: name, tid: .string(Self.tenant)).failure == .issuer)
    }

    @Test func `of a template are in its own document, too`() {
        let names = IssuerNames(Self.template, tenants: .only([Self.tenant]))
        #expect(names.includes(Self.template) && names.includes(Self.name(Self.tenant)))
        #expect(!names.includes(Self.name(Self.other)) && !names.includes("https://login.example/{tenant}/v2.0"))
    }

    @Test func `are signed for by a key that says so, and by no key of another's`() throws {
        let names = IssuerNames(Self.template, tenants: .any)
        func signed(by keyIssuer: String?) throws -> IDTokenError? {
            try outcome(names, iss: Self.name(Self.tenant), tid: .string(Self.tenant), keyIssuer: keyIssuer).failure
        }
        #expect(try signed(by: nil) == nil)
        #expect(try signed(by: Self.template) == nil)
        #expect(try signed(by: Self.name(Self.tenant)) == nil)
        #expect(try signed(by: Self.name(Self.other)) == .issuer)
        #expect(try signed(by: "https://other.example/{tenantid}/v2.0") == .issuer)
    }

    @Test func `of one tenant are not signed for by the key of another`() throws {
        let names = IssuerNames(Self.name(Self.tenant))
        #expect(try outcome(names, iss: Self.name(Self.tenant), keyIssuer: Self.name(Self.other)).failure == .issuer)
        #expect(try outcome(names, iss: Self.name(Self.tenant), keyIssuer: Self.template).failure == nil)
    }

    @Test func `that are one name are no template, whatever stands in it`() {
        let names = IssuerNames(exactly: Self.template)
        #expect(!names.hasTenants && names.stored(Self.template) == Self.template)
        #expect(names.stored(Self.name(Self.tenant)) == nil)
    }
}
