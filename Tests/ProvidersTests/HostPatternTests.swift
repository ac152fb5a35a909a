import Providers
import TestSupport
import Testing

@Suite struct `A host pattern` {
    @Test(
        arguments: zip(
            ["*.att.com", "*.att.com", "*.ATT.com", "*.att.com", "login.example", "Login.Example", "*.com"],
            ["id.att.com", "a.b.att.com", "ID.att.COM", "evil.att.com", "LOGIN.example", "login.example", "att.com"]))
    func `matches its host, or all hosts below its domain`(pattern: String, host: String) {
        #expect(HostPattern(pattern).matches(host))
    }

    @Test(
        arguments: zip(
            [
                "*.att.com", "*.att.com", "*.att.com", "*.att.com", "*.att.com", "att.com", "att.com", "att.com",
                "*.att.com",
                "att.com", "*.att.com",
            ],
            [
                "att.com", "evilatt.com", "att.com.evil.example", "id.att.co", "id.att.com.", "id.att.com",
                "evilatt.com",
                "att.co", ".att.com", "", "",
            ]))
    func `matches nothing beside them`(pattern: String, host: String) {
        #expect(!HostPattern(pattern).matches(host))
    }
}

@Suite struct `A provider's trust` {
    private let provider = Provider(
        .zenkey { $0.trustedIssuers = ["*.att.com", "carrier.example"].map { TrustedIssuer($0) } })

    @Test(arguments: [
        "https://id.att.com", "https://ID.ATT.com/path", "https://carrier.example", "https://id.att.com:8443/",
    ])
    func `a provider's trust is given to issuers of its hosts`(issuer: String) {
        #expect(provider.trusts(issuer: issuer))
    }

    @Test(arguments: [
        "http://id.att.com", "https://att.com", "https://evilatt.com", "https://evil.example/?.att.com",
        "https://evil.example/.att.com", "https://evil.example#.att.com", "https://id.att.com@evil.example",
        "https://evil.example\\.att.com", "id.att.com", "", "https://", "ftp://id.att.com", "https://127.0.0.1",
        "https://id.att.com%2eevil.example", "https://evil.example%00.att.com", "https://xid.att.com.evil.example",
        "http://127.0.0.1",
    ])
    func `a provider's trust is given to nobody else`(issuer: String) {
        #expect(!provider.trusts(issuer: issuer))
    }

    @Test func `a provider's trust is given to an issuer of its own URL, and to no other on that host`() {
        let provider = Provider(
            .zenkey { $0.trustedIssuers = [TrustedIssuer("https://id.many.example/realms/ours")] })
        #expect(provider.trusts(issuer: "https://id.many.example/realms/ours"))
        for other in ["", "/", "/realms/ours/", "/realms/theirs", "/realms/ours/../theirs", "/Realms/ours"] {
            #expect(!provider.trusts(issuer: "https://id.many.example\(other)"))
        }
        #expect(!provider.trusts(issuer: "https://ID.many.example/realms/ours"))
        #expect(!provider.trusts(issuer: "https://id.many.example:443/realms/ours"))
        #expect(!provider.trusts(issuer: "https://id.many.example/realms/ours?x"))
    }

    @Test func `a provider's trust is given to nobody when no issuer is named`() {
        let nobody = Provider(.zenkey { $0.trustedIssuers = [] })
        #expect(!nobody.trusts(issuer: "https://carrier.example"))
    }
}

@Suite struct `A redirect URI` {
    private let provider = Provider(.zenkey { $0.redirectURIs = ["https://app.example/cb", "app://cb"] })

    @Test(arguments: ["https://app.example/cb", "app://cb"])
    func `a redirect URI is allowed when it is one of the provider's`(uri: String) {
        #expect(provider.allows(redirectURI: uri))
    }

    @Test(arguments: [
        "https://app.example/cb/", "https://app.example/cb?x=1", "https://app.example/", "https://app.example/CB",
        "https://APP.example/cb", "app://cb/..", "", "app://c",
    ])
    func `a redirect URI is refused when it differs in anything`(uri: String) {
        #expect(!provider.allows(redirectURI: uri))
    }
}
