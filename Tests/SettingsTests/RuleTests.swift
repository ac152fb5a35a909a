import Crypto
import Providers
import Testing

@testable import Settings

@Suite struct `Rules between keys` {
    private static let privateKey = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"

    @Test func `providers are asked again only where a refresh token is kept`() {
        let days = "session: {providerCheckDays: 30}\n"
        #expect(load(least + days).faults.map(\.key) == ["session.providerCheckDays"])
        let lines = ["profile: openid", "issuer: https://a.example", "redirectURIs: ['app:/x']", "keepTokens: true"]
        let kept = load(leastWith(lines.joined(separator: "\n    ")) + days)
        #expect(kept.faults.isEmpty)
        #expect(kept.settings?.session.providerCheckSeconds == Int64(2_592_000))
    }

    @Test(arguments: ["https://a.example", "https://a.example/"])
    func `access tokens must not have the audience of receipts`(issuer: String) {
        let faults = load(least + "session: {issuer: '\(issuer)', audience: 'https://a.example/receipts'}\n").faults
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.map(\.key) == ["session.audience"])
        #expect(load(least + "session: {issuer: '\(issuer)', audience: 'receipts'}\n").faults.isEmpty)
    }

    @Test func `access tokens of the type of ID tokens must not have their audience`() {
        let app = "apps: [desk]\napp: {desk: {clientID: desk, redirectURIs: ['org.acme.desk:/cb']}}\n"
        func faults(_ session: String) -> [SettingsError] {
            load(least + app + "session: {issuer: 'https://a.example', \(session)}\n").faults
        }
        #expect(faults("audience: desk, tokenType: JWT").map(\.key) == ["session.audience"])
        #expect(faults("audience: desk").isEmpty && faults("audience: api, tokenType: JWT").isEmpty)
        let others = app.replacing("'org.acme.desk:/cb']", with: "'org.acme.desk:/cb'], audiences: [api, desk]")
        func faultsOfOthers(_ type: String) -> [String] {
            load(least + others + "session: {issuer: 'https://a.example', tokenType: \(type)}\n").faults.map(\.key)
        }
        #expect(faultsOfOthers("JWT") == ["app.desk.audiences"] && faultsOfOthers("at+jwt").isEmpty)
        #expect(faults("tokenType: at+JWT").map(\.key) == ["session.tokenType"])
        #expect(faults("signing: PS256").map(\.key) == ["session.signing"])
    }

    @Test func `a PEM file that does not exist is a fault`() {
        let faults = load(leastWith("caFile: nowhere.pem")).faults
        #expect(faults.map(\.kind) == [.unreadableFile])
        #expect(faults.map(\.key) == ["provider.zenkey.caFile"])
        #expect(faults.map(\.value) == ["nowhere.pem"])
    }

    @Test(arguments: [Self.privateKey, ""])
    func `a file without certificates is a fault that shows nothing of it`(content: String) {
        let faults = load(leastWith("caFile: some.pem"), files: ["some.pem": content]).faults
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.key) == ["provider.zenkey.caFile"])
        #expect(!faults.description.contains("AA=="))
    }

    @Test func `profile zenkey needs a discovery URL`() {
        #expect(load(leastWith("discoveryURL: ''")).faults.map(\.key) == ["provider.zenkey.discoveryURL"])
    }

    @Test(arguments: ["openid", "beyond-identity", "tim"])
    func `rules between keys every other profile needs an issuer`(profile: String) {
        let faults = load(leastWith("profile: \(profile)\n    redirectURIs: ['app:/x']")).faults
        #expect(faults.map(\.kind) == [.missing])
        #expect(faults.map(\.key) == ["provider.zenkey.issuer"])
    }

    @Test(arguments: ["http://127.0.0.1:9000/x", "http://127.9.9.9", "http://[::1]:9000"])
    func `plain http to loopback needs allowLoopbackHTTP`(url: String) {
        let faults = load(leastWith("discoveryURL: '\(url)'")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.discoveryURL"])
        #expect(faults.first?.expected.contains("allowLoopbackHTTP") == true)
        #expect(load(leastWith("discoveryURL: '\(url)'\n    allowLoopbackHTTP: true")).faults.isEmpty)
    }

    @Test(arguments: ["http://localhost:9000", "http://10.0.0.1", "http://128.0.0.1", "http://example.com"])
    func `plain http to anything else is refused, whatever is allowed`(url: String) {
        let faults = load(leastWith("discoveryURL: '\(url)'\n    allowLoopbackHTTP: true")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.discoveryURL"])
    }

    @Test func `an issuer and its aliases must be https too`() {
        let lines = """
            profile: openid
                issuer: http://id.example.com
                redirectURIs: ['app:/x']
                issuerAliases: ['http://old.example.com=https://new.example.com']
            """
        let keys = load(leastWith(lines)).faults.map(\.key)
        #expect(Set(keys) == ["provider.zenkey.issuer", "provider.zenkey.issuerAliases"])
    }

    @Test func `a client ID is needed`() {
        let faults = load("provider: {zenkey: {clientSecret: x}}\n").faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientID"])
        #expect(faults.map(\.kind) == [.missing])
    }

    @Test func `a redirect URI is needed where no default follows from the profile`() {
        let faults = load(leastWith("profile: openid\n    issuer: https://id.example.com")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.redirectURIs"])
    }

    @Test func `an empty list of algorithms is the profile's own`() {
        #expect(load(leastWith("algorithms: []")).settings?.providers.map(\.algorithms) == [[.rs256]])
    }

    @Test func `rules between keys one call may not take longer than a sign-in`() {
        let faults = load(leastWith("timeoutSeconds: 21")).faults
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.map(\.key) == ["provider.zenkey.timeoutSeconds"])
        #expect(load(leastWith("timeoutSeconds: 20")).faults.isEmpty)
        #expect(load(leastWith("timeoutSeconds: 3600\n    signInTimeoutSeconds: 0")).faults.isEmpty)
    }

    @Test(arguments: [
        "postgres://user:pa55@db/users?sslmode=verify-full", "postgresql://localhost",
    ])
    func `a shared database takes a master key that all instances have, and its password is never told`(url: String) {
        let loaded = load(least + "storage: {url: '\(url)'}\n")
        #expect(loaded.faults.map(\.kind) == [.missing])
        #expect(loaded.faults.map(\.key) == ["storage.masterKeyFile"])
        #expect(!"\(loaded)".contains("pa55"))
    }

    @Test func `plain http to loopback is worth a notice where the provider is elsewhere`() {
        #expect(load(leastWith("allowLoopbackHTTP: true")).notices.map(\.key) == ["provider.zenkey.allowLoopbackHTTP"])
        let here = "discoveryURL: 'http://127.0.0.1:9000/x'\n    allowLoopbackHTTP: true"
        #expect(load(leastWith(here)).notices == [])
    }

    private func shared(_ url: String) -> LoadedSettings {
        let key = String(repeating: "A", count: 43)
        return load(
            least + "storage: {url: '\(url)', masterKeyFile: key, ledger: 'file:ledger'}\n", files: ["key": key])
    }

    @Test func `a shared database without a ledger is worth a notice`() {
        let key = String(repeating: "A", count: 43)
        let loaded = load(
            least + "storage: {url: 'postgres://u@localhost/users', masterKeyFile: key}\n", files: ["key": key])
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["storage.ledger"])
    }

    @Test(arguments: [
        "postgres://db", "postgres://user:pa55@db.example.com/users", "postgresql://u@10.0.0.1:5432,10.0.0.2/users",
        "postgres://u@localhost,db/users", "postgres:///users?host=db.example.com", "postgres://u@[2001:db8::1]:5432/x",
        "postgres://u@localhost/x?hostaddr=10.0.0.1", "postgres://u@db/x?sslmode=",
        "postgres://u@db/x?application_name=a",
        "postgres://u:p%40x@db/x",
    ])
    func `a database on another host is a fault unless its URL says how the way there is kept`(url: String) {
        let loaded = shared(url)
        #expect(loaded.faults.map(\.key) == ["storage.url"])
        #expect(loaded.faults.first?.expected.contains("sslmode=verify-full") == true)
        #expect(!"\(loaded)".contains("pa55"))
    }

    @Test(arguments: ["disable", "allow", "prefer", "require", "verify-ca"])
    func `a database on another host that is not verified is worth a notice`(mode: String) {
        let loaded = shared("postgres://u:pa55@db/users?application_name=x&sslmode=\(mode)")
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["storage.url"])
        #expect(loaded.notices.first?.sentence.contains("sslmode=\(mode)") == true)
        #expect(!"\(loaded.notices)".contains("pa55"))
    }

    @Test(arguments: [
        "postgres://u@db/users?sslmode=verify-full", "postgres://u@localhost/users",
        "postgres://u@127.0.0.1:5433/users",
        "postgres://u@[::1]/users", "postgres:///users", "postgres:///users?host=/run/postgresql",
        "postgres://u@%2Frun%2Fpostgresql/users", "postgres://u@db/users?hostaddr=127.0.0.1",
    ])
    func `a database that is verified, or on this machine, is neither`(url: String) {
        let loaded = shared(url)
        #expect(loaded.faults.isEmpty && loaded.notices.isEmpty)
    }

    @Test(arguments: [
        "instances: 2", "storage: {connections: 8}", "storage: {preparedStatements: false}",
        "storage: {dialect: distributed}",
    ])
    func `what is for a shared database is refused for a file`(line: String) {
        let faults = load(least + line + "\n").faults
        #expect(faults.map(\.kind) == [.notAvailable])
        #expect(faults.first?.expected.contains("a file, which one server has") == true)
    }

    @Test(arguments: [
        ("file:data/a.db", "data/a.db"), ("file:/var/a.db", "/var/a.db"), ("file:///var/a.db", "/var/a.db"),
    ])
    func `a database file has a relative or absolute path`(url: String, path: String) {
        guard case .file(path)? = load(least + "storage: {url: '\(url)'}\n").settings?.storage.url else {
            Issue.record("another path")
            return
        }
    }

    @Test(arguments: ["beyond-identity", "tim"])
    func `a profile of a provider with a dialect holds, and has nothing to notice`(profile: String) {
        let line =
            "profile: \(profile)\n    displayName: Example\n    issuer: https://id.example.com\n    redirectURIs: ['app:/x']"
        let loaded = load(leastWith(line))
        #expect(loaded.faults.isEmpty && loaded.notices.isEmpty)
        #expect(loaded.settings?.providers.count == 1)
    }

    @Test func `an issuer without a profile beside it is a fault of the profile`() {
        let faults = load(leastWith("issuer: https://id.example.com")).faults
        #expect(faults.map(\.kind) == [.missing])
        #expect(faults.map(\.key) == ["provider.zenkey.profile"])
        let inEnvironment = load(least, environment: ["GATEHOUSE_PROVIDER_ZENKEY_ISSUER": "https://id.example.com"])
            .faults
        #expect(inEnvironment.map(\.key) == ["provider.zenkey.profile"])
    }

    @Test(arguments: [
        ("profile: zenkey\n    issuer: https://id.example.com", "issuer"),
        (
            "profile: openid\n    issuer: https://id.example.com\n    redirectURIs: ['app:/x']\n"
                + "    portTokenMaxAgeDays: 7", "portTokenMaxAgeDays"
        ),
        ("profile: zenkey\n    nativeTokens: true", "nativeTokens"),
        ("profile: zenkey\n    redirectURI: omitted", "redirectURI"),
        ("profile: zenkey\n    issuers: [another]", "issuers"),
    ])
    func `what the profile does not take is a fault`(lines: String, key: String) {
        let faults = load(leastWith(lines)).faults
        #expect(faults.map(\.kind) == [.notAvailable])
        #expect(faults.map(\.key) == ["provider.zenkey.\(key)"])
    }

    @Test func `a profile nobody knows is the only fault of its provider`() {
        let faults = load(leastWith("profile: oidc\n    issuer: https://id.example.com")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.profile"])
        #expect(faults.map(\.kind) == [.value])
    }

    @Test func `the scope of carriers is refused`() {
        let faults = load(leastWith("scopes: [openid, port_data]")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.scopes"])
        #expect(faults.first?.value == "port_data")
    }

    /// A provider of plain OpenID Connect beside the one of the least that holds.
    private func withPlain(_ lines: String..., zenkey: String = "") -> LoadedSettings {
        let section = ["profile: openid", "displayName: Plain", "clientID: plain", "clientSecret: s3cret"] + lines
        let plain = "  plain:\n" + section.map { "    \($0)\n" }.joined()
        return load("providers: [zenkey, plain]\n" + leastWith(zenkey) + plain)
    }

    private static let ofZenKey = "redirectURIs: ['ccid-0123456789abcdef://com.xci.provider.sdk', 'app:/own']"
    private static let issuer = "issuer: https://id.example.com"

    @Test func `a redirect URI that issuers share is a notice at each of them`() {
        let loaded = withPlain(Self.issuer, Self.ofZenKey)
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["provider.zenkey.redirectURIs", "provider.plain.redirectURIs"])
        #expect(loaded.notices.allSatisfy { $0.sentence.contains("://com.xci.provider.sdk") })
        #expect(loaded.notices.first?.sentence.contains("with plain") == true)
        let settings = loaded.settings
        for provider in settings?.listedProviders.sections ?? [] {
            #expect(settings?.sharedRedirectURIs(of: provider) == ["ccid-0123456789abcdef://com.xci.provider.sdk"])
        }
    }

    @Test func `a redirect URI is no notice where iss is demanded, and where it is one issuer's`() {
        let demanding = withPlain(Self.issuer, Self.ofZenKey, "requireIss: true", zenkey: "requireIss: true")
        #expect(demanding.faults.isEmpty)
        #expect(demanding.notices.isEmpty)
        let half = withPlain(Self.issuer, Self.ofZenKey, "requireIss: true")
        #expect(half.notices.map(\.key) == ["provider.zenkey.redirectURIs"])
        #expect(withPlain(Self.issuer, "redirectURIs: ['app:/own']").notices.isEmpty)
    }
}
