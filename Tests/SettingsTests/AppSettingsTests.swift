import Apps
import Crypto
import Syntax
import Testing

@testable import Settings

@Suite struct `The section of an app` {
    @Test func `an app is made of its section`() throws {
        let yaml = appWith(
            """
            secretFile: /run/secrets/acme
                providers: [zenkey]
                origins: ['https://acme.example', 'http://localhost:3000']
                postLogoutRedirectURIs: ['https://acme.example/bye']
                otherBrowser: confirm
                idTokenAlgorithm: ES256
                refreshTokens: reusable
                inactivityDays: 30
                absoluteDays: 365
            """)
        let loaded = load(yaml, files: ["/run/secrets/acme": "s3cret-of-the-app-acme\n"])
        #expect(loaded.faults == [])
        #expect(loaded.notices == [])
        let expected = RegisteredApp(
            name: "acme", clientID: "acme-app", secret: Secret("s3cret-of-the-app-acme"),
            redirectURIs: [RedirectURI("https://acme.example/callback")], providers: ["zenkey"],
            origins: ["https://acme.example", "http://localhost:3000"],
            postLogoutRedirectURIs: [RedirectURI("https://acme.example/bye")], otherBrowser: .confirm,
            consent: .implicit,
            idTokenAlgorithm: .es256,
            refreshTokens: RegisteredApp.RefreshTokens(
                use: .reusable, inactivitySeconds: 2_592_000, absoluteSeconds: 31_536_000),
            rights: RegisteredApp.Rights(offlineAccess: .always))
        #expect(loaded.settings?.apps == [expected])
    }

    @Test func `an app needs no more than a client ID and a redirect URI`() throws {
        let least = try #require(load(leastWithApp).settings?.apps.first)
        #expect(least.secret == nil)
        #expect(least.providers.isEmpty && least.origins.isEmpty && least.postLogoutRedirectURIs.isEmpty)
        #expect(least.otherBrowser == .refuse && least.consent == .implicit && least.idTokenAlgorithm == .rs256)
        #expect(least.refreshTokens == RegisteredApp.RefreshTokens())
        let faults = load(app("origins: []")).faults
        #expect(faults.map(\.key) == ["app.acme.clientID", "app.acme.redirectURIs"])
        #expect(faults.map(\.kind) == [.missing, .missing])
    }

    @Test func `users are asked for their consent where the section says so`() throws {
        for consent in RegisteredApp.Consent.allCases {
            #expect(load(appWith("consent: \(consent.rawValue)")).settings?.apps.first?.consent == consent)
        }
        #expect(load(appWith("consent: never")).faults.map(\.key) == ["app.acme.consent"])
    }

    @Test(arguments: [
        ("", ["inactivityDays", "absoluteDays"]), ("inactivityDays: 30", ["absoluteDays"]),
        ("absoluteDays: 365", ["inactivityDays"]), ("inactivityDays: 0", ["inactivityDays", "absoluteDays"]),
    ])
    func `refresh tokens that stay good take both limits`(limits: String, missing: [String]) {
        let faults = load(appWith("refreshTokens: reusable\n    \(limits)")).faults
        #expect(faults.map(\.key) == missing.map { "app.acme.\($0)" })
        #expect(faults.allSatisfy { $0.kind == .missing })
    }

    @Test func `refresh tokens that are replaced may have limits of the app's own`() throws {
        let app = try #require(load(appWith("inactivityDays: 7")).settings?.apps.first)
        #expect(app.refreshTokens == RegisteredApp.RefreshTokens(inactivitySeconds: 604_800))
    }

    @Test func `a session can't be inactive for longer than it lasts`() {
        let faults = load(appWith("inactivityDays: 31\n    absoluteDays: 30")).faults
        #expect(faults.map(\.key) == ["app.acme.inactivityDays"])
        #expect(load(appWith("inactivityDays: 30\n    absoluteDays: 30")).faults.isEmpty)
    }

    @Test(arguments: [(60, false), (61, true)])
    func `clients that keep refresh tokens take access tokens of more than a minute`(seconds: Int, isGood: Bool) {
        let yaml = appWith("refreshTokens: reusable\n    inactivityDays: 30\n    absoluteDays: 365")
        let faults = load(yaml + "\nsession: {accessTokenSeconds: \(seconds)}\n").faults
        #expect(faults.map(\.key) == (isGood ? [] : ["app.acme.refreshTokens"]))
    }

    @Test func `apps keep the order of their list, and there are none by default`() throws {
        #expect(try #require(load(least).settings).apps.isEmpty)
        let yaml = leastWithApp.replacing("[acme]", with: "[other, acme]")
        let other = "  other: {clientID: other, redirectURIs: ['com.example.other:/callback']}\n"
        #expect(load(yaml + other).settings?.apps.map(\.name) == ["other", "acme"])
    }

    @Test(arguments: [
        "https://acme.example/callback?tenant=1", "https://acme.example", "https://acme.example:8443/%7Euser",
        "http://127.0.0.1/callback", "http://127.0.0.1:49152/", "http://[::1]:8000/callback",
        "com.example.acme:/callback", "com.example.acme://host/callback", "com.example.acme:/",
    ])
    func `a redirect URI is an https address, a loopback address or of the app's own scheme`(address: String) {
        let loaded = load(
            app("clientID: a", "redirectURIs: ['\(address)']", "postLogoutRedirectURIs: ['\(address)']"))
        #expect(loaded.faults == [])
        #expect(loaded.notices == [])
        let read = loaded.settings?.apps.first
        #expect(read?.redirectURIs.map(\.text) == [address])
        #expect(read?.postLogoutRedirectURIs.map(\.text) == [address])
    }

    @Test(arguments: [
        "callback", "/callback", "acme:", "https://acme.example/#fragment", "https://acme.example/*",
        "https://*.example",
        "https://user@acme.example/", "https://ac%6De.example/", "https:acme.example", "https://acme.example:0/",
        "http://acme.example/callback", "http://10.0.0.1/callback", "http://127.0.0.2/callback", "http://localhost/",
        "HTTP://localhost:3000/callback", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///x",
        "blob:https://acme.example/x", "about:blank", "vbscript:x", "com.example.acme:/a b", "com.example.acme:/<x>",
        "com.example.acme:/%zz", "com.example.acme:/ü",
    ])
    func `an address that codes would leak to, or nobody be at, is a fault`(address: String) {
        for key in ["redirectURIs", "postLogoutRedirectURIs"] {
            let others = key == "redirectURIs" ? "origins: []" : "redirectURIs: ['https://acme.example/callback']"
            let faults = load(app("clientID: a", others, "\(key): [\"\(address)\"]")).faults
            #expect(faults.map(\.key).first == "app.acme.\(key)")
            #expect(faults.map(\.kind).first == .value)
        }
    }

    @Test func `the name localhost is refused with the address to write instead`() throws {
        let faults = load(app("clientID: a", "redirectURIs: ['http://localhost:3000/callback']")).faults
        let fault = try #require(faults.first)
        #expect(fault.value == "http://localhost:3000/callback")
        #expect(fault.expected.contains("127.0.0.1"))
    }

    @Test func `a scheme without a dot is a notice, for another app may have it too`() {
        let loaded = load(
            app(
                "clientID: a", "redirectURIs: ['acme:/callback', 'com.example.acme:/callback']",
                "postLogoutRedirectURIs: ['acme://bye']"))
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == ["app.acme.redirectURIs", "app.acme.postLogoutRedirectURIs"])
        #expect(loaded.notices.first?.sentence.contains("acme:/callback") == true)
    }

    @Test(arguments: [
        "https://acme.example", "https://acme.example:8443", "https://10.0.0.1", "http://localhost",
        "http://127.0.0.1:3000",
        "http://[::1]:3000", "https://xn--bcher-kva.example",
    ])
    func `an origin is scheme, host and port`(origin: String) {
        #expect(load(appWith("origins: ['\(origin)']")).settings?.apps.first?.origins == [origin])
    }

    @Test(arguments: [
        ("https://acme.example/", "https://acme.example,"), ("https://acme.example/app", "https://acme.example,"),
        ("https://ACME.example", "https://acme.example,"), ("HTTPS://acme.example", "https://acme.example,"),
        ("https://acme.example:443", "https://acme.example,"), ("http://localhost:80", "http://localhost,"),
        ("https://[2001:DB8:0::1]", "https://[2001:db8::1],"), ("https://acme.example?x", "https://acme.example,"),
        ("http://acme.example", "a web origin"), ("acme.example", "a web origin"), ("*", "a web origin"),
        ("null", "a web origin"), ("https://*.acme.example", "a web origin"), ("com.example.acme://x", "a web origin"),
        ("https://user@acme.example", "a web origin"), ("https://bücher.example", "a web origin"),
    ])
    func `an origin that no browser sends is a fault, with the one that was meant`(origin: String, meant: String) {
        let faults = load(appWith("origins: ['\(origin)']")).faults
        #expect(faults.map(\.key) == ["app.acme.origins"])
        #expect(faults.first?.expected.hasPrefix(meant) == true, "\(faults)")
    }

    @Test(arguments: [
        "clientID: 'a b'", "clientID: 'ä'", "otherBrowser: allow", "refreshTokens: forever", "inactivityDays: -1",
        "absoluteDays: 3651", "idTokenAlgorithm: HS256", "providers: [Zen Key]",
    ])
    func `an app's value that its key does not take is a fault`(line: String) throws {
        let key = try #require(line.split(separator: ":").first)
        let faults = load(app("redirectURIs: ['https://acme.example']", line)).faults
        #expect(faults.first?.key == "app.acme.\(key)")
        #expect(faults.first?.kind == .value)
    }
}
