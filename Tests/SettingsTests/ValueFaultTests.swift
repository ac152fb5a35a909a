import Crypto
import HTTPServer
import Testing

@testable import Settings

@Suite struct `Faults of values` {
    @Test(arguments: [
        ("http: {port: 65536}", "http.port", "65536"),
        ("http: {port: -1}", "http.port", "-1"),
        ("http: {port: 80a}", "http.port", "80a"),
        ("http: {port: 8.5}", "http.port", "8.5"),
        ("http: {port: [80]}", "http.port", "[80]"),
        ("http: {port: {a: 1}}", "http.port", "a section"),
        ("http: {port: }", "http.port", "null"),
        ("session: {audience: }", "session.audience", "null"),
        ("http: {host: 'a b'}", "http.host", "a b"),
        ("http: {host: ''}", "http.host", ""),
        ("http: {host: 127.0.0.256}", "http.host", "127.0.0.256"),
        ("http: {loops: 1025}", "http.loops", "1025"),
        ("http: {connections: -5}", "http.connections", "-5"),
        ("http: {bodyBytes: 99999999999999999999}", "http.bodyBytes", "99999999999999999999"),
        ("http: {drainSeconds: soon}", "http.drainSeconds", "soon"),
        ("http: {trustedProxies: 10.0.0.0/8}", "http.trustedProxies", "10.0.0.0/8"),
        ("http: {trustedProxies: [10.0.0.0/33]}", "http.trustedProxies", "10.0.0.0/33"),
        ("http: {trustedProxies: [10.0.0.1/8]}", "http.trustedProxies", "10.0.0.1/8"),
        ("http: {trustedProxies: [0.0.0.0/0]}", "http.trustedProxies", "0.0.0.0/0"),
        ("http: {trustedProxies: [128.0.0.0/1]}", "http.trustedProxies", "128.0.0.0/1"),
        ("http: {trustedProxies: [10.0.0.0/7]}", "http.trustedProxies", "10.0.0.0/7"),
        ("http: {trustedProxies: ['::/0']}", "http.trustedProxies", "::/0"),
        ("http: {trustedProxies: ['2000::/3']}", "http.trustedProxies", "2000::/3"),
        ("http: {trustedProxies: ['fc00::/6']}", "http.trustedProxies", "fc00::/6"),
        ("http: {hstsSeconds: -1}", "http.hstsSeconds", "-1"),
        ("http: {trustedProxies: [[a]]}", "http.trustedProxies", "[[a]]"),
        ("http: {clientAddressHeader: X-Real-IP}", "http.clientAddressHeader", "X-Real-IP"),
        ("rateLimit: {challengesPerMinutePerAddress: -1}", "rateLimit.challengesPerMinutePerAddress", "-1"),
        ("session: {issuer: 'http://0.0.0.0:8080'}", "session.issuer", "http://0.0.0.0:8080"),
        ("session: {issuer: 'https://[::]'}", "session.issuer", "https://[::]"),
        ("session: {issuer: 'https://{host}'}", "session.issuer", "https://{host}"),
        ("storage: {url: mysql://db}", "storage.url", "mysql://db"),
        ("storage: {url: 'file:'}", "storage.url", "file:"),
        ("storage: {url: file:data/}", "storage.url", "file:data/"),
        ("storage: {url: file://host/data.db}", "storage.url", "file://host/data.db"),
        ("session: {issuer: example.com}", "session.issuer", "example.com"),
        ("session: {issuer: 'https://example.com/?a=b'}", "session.issuer", "https://example.com/?a=b"),
        ("session: {accessTokenSeconds: 0}", "session.accessTokenSeconds", "0"),
        ("session: {refreshTokenDays: 0}", "session.refreshTokenDays", "0"),
        ("session: {refreshGraceSeconds: 3601}", "session.refreshGraceSeconds", "3601"),
        ("session: {refreshGraceSeconds: -1}", "session.refreshGraceSeconds", "-1"),
        ("session: {audience: 'a b'}", "session.audience", "a b"),
        ("registration: manual", "registration", "manual"),
        ("log: {level: loud}", "log.level", "loud"),
        ("log: {format: xml}", "log.format", "xml"),
    ])
    func `a value that its key does not take is a fault that shows it`(yaml: String, key: String, value: String) {
        let faults = load(least + yaml + "\n").faults
        #expect(faults.map(\.key) == [key])
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.value) == [value])
        #expect(faults.allSatisfy { !$0.expected.isEmpty && $0.source != nil })
    }

    @Test(arguments: [
        ("profile: zen", "profile", "zen"),
        ("discoveryURL: discovery.example.com", "discoveryURL", "discovery.example.com"),
        ("issuer: 'https://id.example.com/#a'", "issuer", "https://id.example.com/#a"),
        ("minimumACR: \"a\\nb\"", "minimumACR", "a\\u{a}b"),
        ("clientAuthentication: basic", "clientAuthentication", "basic"),
        ("basicEncoding: base64", "basicEncoding", "base64"),
        ("redirectURIs: [callback]", "redirectURIs", "callback"),
        ("redirectURIs: ['app:']", "redirectURIs", "app:"),
        ("redirectURIs: ['https://a.example/#x']", "redirectURIs", "https://a.example/#x"),
        ("redirectURIs: ['1app:/x']", "redirectURIs", "1app:/x"),
        ("redirectURIs: app:/x", "redirectURIs", "app:/x"),
        ("redirectURIs: ['https://a.example/*']", "redirectURIs", "https://a.example/*"),
        ("redirectURIs: ['https://*.example.com/cb']", "redirectURIs", "https://*.example.com/cb"),
        ("issuer: 'https://a.example/{tenant}/v2.0'", "issuer", "https://a.example/{tenant}/v2.0"),
        (
            "issuer: 'https://a.example/{tenantid}/{tenantid}'", "issuer", "https://a.example/{tenantid}/{tenantid}"
        ),
        ("issuer: 'https://a.example/%7Btenantid%7D/v2.0'", "issuer", "https://a.example/%7Btenantid%7D/v2.0"),
        ("trustedIssuers: ['*']", "trustedIssuers", "*"),
        ("trustedIssuers: ['*.com']", "trustedIssuers", "*.com"),
        ("trustedIssuers: ['https://a.example/?x']", "trustedIssuers", "https://a.example/?x"),
        ("trustedIssuers: ['https://*.a.example']", "trustedIssuers", "https://*.a.example"),
        ("trustedIssuers: ['http://a.example']", "trustedIssuers", "http://a.example"),
        ("trustedIssuers: ['*.0.0.1']", "trustedIssuers", "*.0.0.1"),
        ("issuerAliases: ['https://a.example']", "issuerAliases", "https://a.example"),
        ("issuerAliases: [a=b]", "issuerAliases", "a=b"),
        (
            "issuerAliases: ['https://a.example=https://a.example']", "issuerAliases",
            "https://a.example=https://a.example"
        ),
        ("algorithms: [RS257]", "algorithms", "RS257"),
        ("algorithms: RS256", "algorithms", "RS256"),
        ("algorithms: [RS256, RS256]", "algorithms", "RS256"),
        ("scopes: ['open id']", "scopes", "open id"),
        ("requirePKCE: yes", "requirePKCE", "yes"),
        ("requireNonce: 1", "requireNonce", "1"),
        ("clockSkewSeconds: -1", "clockSkewSeconds", "-1"),
        ("portTokenMaxAgeDays: 4000", "portTokenMaxAgeDays", "4000"),
        ("timeoutSeconds: ten", "timeoutSeconds", "ten"),
        ("claims: roles", "claims", "roles"),
        ("claims: [roles, roles]", "claims", "roles"),
        ("claims: ['a b']", "claims", "a b"),
        ("claims: [sub]", "claims", "sub"),
        ("claims: [roles, AKA]", "claims", "AKA"),
        ("claims: [port_data]", "claims", "port_data"),
        ("claims: [at_hash]", "claims", "at_hash"),
        ("claims: [\((0..<33).map { "c\($0)" }.joined(separator: ", "))]", "claims", "33 elements"),
    ])
    func `a provider's value that its key does not take is a fault`(line: String, key: String, value: String) {
        let faults = load(leastWith(line)).faults
        #expect(faults.map(\.key) == ["provider.zenkey.\(key)"])
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.value) == [value])
    }

    @Test func `faults of values every ill-formed element of a list is named, each with what is wrong with it`() {
        let faults = load(leastWith("algorithms: [RS256, HS256, RS257, none, RS256]")).faults
        #expect(faults.map(\.key) == Array(repeating: "provider.zenkey.algorithms", count: 4))
        #expect(faults.map(\.value) == ["HS256", "RS257", "none", "RS256"])
        #expect(Set(faults.map(\.expected)).count == 4)
        let hosts = load(leastWith("trustedIssuers: ['*', a.example, '*.com']")).faults
        #expect(hosts.map(\.value) == ["*", "*.com"])
    }

    @Test func `faults of values of a list of secrets it is the place that is told`() {
        let faults = load(least + "apiKeys: [one, \"a\\x01\", two, one]\n").faults
        #expect(faults.map(\.value) == ["<redacted>, element 2", "<redacted>, element 4"])
    }

    @Test func `what must be filled in, and a star, are told as such`() {
        let template = load(leastWith("profile: openid\n    issuer: 'https://a.example/{tenant}'")).faults
        #expect(template.first?.expected.contains("filled in") == true)
        let star = load(leastWith("redirectURIs: ['app:/*']")).faults
        #expect(star.first?.expected.contains("to the letter") == true)
    }

    @Test(arguments: ["X-Forwarded-For", "x-forwarded-for", "Forwarded", "forwarded"])
    func `the name of a header has no case`(name: String) {
        let header = load(least + "http: {clientAddressHeader: \(name)}\n").settings?.http.clientAddressHeader
        #expect(header == (name.count == 9 ? .forwarded : .xForwardedFor))
    }

    @Test(arguments: ["fifteen-letters", "x", "0123456789abcde"])
    func `an admin token that can be guessed is refused and not shown`(token: String) {
        let faults = load(least + "admin: {token: '\(token)'}\n").faults
        #expect(faults.map(\.key) == ["admin.token"])
        #expect(faults.map(\.value) == ["<redacted>"])
        #expect(faults.first?.expected.contains("16 characters") == true)
        #expect(load(least + "admin: {token: sixteen-letters!}\n").faults.isEmpty)
    }

    @Test(arguments: ["HS256", "HS384", "HS512", "none"])
    func `an algorithm that lets others forge tokens is refused with a sentence`(algorithm: String) throws {
        let fault = try #require(load(leastWith("algorithms: [RS256, \(algorithm)]")).faults.first)
        #expect(fault.value == algorithm)
        #expect(fault.expected.contains("everybody"))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `faults of values every asymmetric algorithm is taken`(algorithm: SignatureAlgorithm) {
        let loaded = load(leastWith("algorithms: [\(algorithm.rawValue)]"))
        #expect(loaded.settings?.listedProviders.sections.first?.algorithms == [algorithm])
    }

    @Test(arguments: ["true", "True", "TRUE", "\"true\""])
    func `a flag is true in the spellings of YAML`(text: String) {
        #expect(load(leastWith("requireNonce: \(text)")).settings?.listedProviders.sections.first?.requireNonce == true)
    }

    @Test func `a number in quotes is a number, a text without quotes is a text`() throws {
        let yaml = least.replacing("ccid-0123456789abcdef", with: "0123") + "http: {port: \"81\"}\n"
        let settings = try #require(load(yaml).settings)
        #expect(settings.http.port == 81)
        #expect(settings.listedProviders.sections.first?.clientID == "0123")
    }

    @Test func `a long value with control characters fits one line`() throws {
        let fault = try #require(
            load(least + "log: {level: \"\\e[31m\(String(repeating: "x", count: 500))\"}\n").faults.first)
        #expect(fault.description.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(fault.description.count < 400)
    }
}
