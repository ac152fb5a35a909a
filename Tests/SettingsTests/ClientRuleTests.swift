import Apps
import Crypto
import Testing

@testable import Settings

@Suite struct `Rules of apps and resource servers` {
    private static let servers = """
        resourceServers: [api, files]
        resourceServer:
          api: {id: api, secret: s3cret-of-the-api}
          files: {id: files, secretFile: /run/secrets/files}

        """

    private func keys(_ yaml: String) -> [String] {
        load(yaml, files: ["/run/secrets/files": "s3cret-of-the-files"]).faults.map(\.key)
    }

    @Test func `a resource server has an id and a secret`() throws {
        let loaded = load(least + Self.servers, files: ["/run/secrets/files": "s3cret-of-the-files\n"])
        #expect(loaded.faults == [])
        #expect(
            loaded.settings?.resourceServers == [
                ResourceServer(id: "api", secret: Secret("s3cret-of-the-api")),
                ResourceServer(id: "files", secret: Secret("s3cret-of-the-files")),
            ])
        let faults = load(least + "resourceServers: [api]\nresourceServer: {api: {}}\n").faults
        #expect(
            faults.filter { $0.kind == .missing }.map(\.key) == ["resourceServer.api.id", "resourceServer.api.secret"])
        let spaced = load(
            least + "resourceServers: [api]\nresourceServer: {api: {id: 'a b', secret: s3cret-of-the-api}}\n"
        ).faults
        #expect(spaced.map(\.key) == ["resourceServer.api.id"])
    }

    @Test func `two apps with one client ID are a fault of the second`() {
        let yaml = leastWithApp.replacing("[acme]", with: "[acme, twin]")
        let twin = "  twin: {clientID: acme-app, redirectURIs: ['https://twin.example']}\n"
        let faults = load(yaml + twin).faults
        #expect(faults.map(\.key) == ["app.twin.clientID"])
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.first?.expected.contains("app.acme") == true)
    }

    @Test func `an app with the client ID that a provider gave us is a fault`() {
        let faults = load(leastWithApp.replacing("acme-app", with: "ccid-0123456789abcdef")).faults
        #expect(faults.map(\.key) == ["app.acme.clientID"])
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.first?.expected.contains("provider.zenkey") == true)
    }

    @Test func `two resource servers with one id are a fault, and so is one with that of an app`() {
        #expect(keys(least + Self.servers.replacing("id: files", with: "id: api")) == ["resourceServer.files.id"])
        #expect(
            keys(leastWithApp + Self.servers.replacing("id: api", with: "id: acme-app")) == ["resourceServer.api.id"])
    }

    @Test func `an app's provider that is not listed is a fault that names those that are`() throws {
        let fault = try #require(load(appWith("providers: [zenkey, google]")).faults.first)
        #expect(fault.key == "app.acme.providers")
        #expect(fault.value == "google")
        #expect(fault.expected.contains("zenkey"))
        // Where the list is broken, it isn't known.
        #expect(keys(appWith("providers: [google]").replacing("apps:", with: "providers: []\napps:")) == ["providers"])
    }

    @Test(arguments: [
        ("https://acme.example/callback", true), ("com.example.acme:/callback", false), ("http://127.0.0.1/", false),
    ])
    func `another browser is only asked where nobody else can hold the redirect URI`(address: String, holds: Bool) {
        let lines = "redirectURIs: ['https://acme.example', '\(address)']"
        let faults = load(app("clientID: a", lines, "otherBrowser: confirm")).faults
        #expect(faults.map(\.key) == (holds ? [] : ["app.acme.otherBrowser"]))
        #expect(faults.allSatisfy { $0.kind == .conflict && $0.value == "confirm" })
    }

    @Test(arguments: ["http://signin.example.com", "http://10.0.0.1:8080"])
    func `an issuer that cookies do not reach safely is a fault where there are apps`(issuer: String) {
        let session = "session: {issuer: '\(issuer)'}\n"
        #expect(load(least + session).faults == [])
        let faults = load(leastWithApp + session).faults
        #expect(faults.map(\.key) == ["session.issuer"])
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.value) == [issuer])
    }

    @Test(arguments: [
        ("https://signin.example.com", "https://signin.example.com/auth/token"),
        ("https://signin.example.com", "https://SIGNIN.example.com:443/docs?x=1"),
        ("https://signin.example.com/base", "https://signin.example.com/base/users/me"),
        ("https://signin.example.com", "https://signin.example.com/x/../auth"),
        ("http://127.0.0.1:9090", "https://127.0.0.1:9090/healthz"),
    ])
    func `a redirect URI on our own host at a path of ours is a fault`(issuer: String, address: String) {
        let addresses = "redirectURIs: ['https://signin.example.com/cb', '\(address)']"
        let yaml = app("clientID: acme-app", addresses) + "session: {issuer: '\(issuer)'}\n"
        let faults = load(yaml).faults
        #expect(faults.map(\.key) == ["app.acme.redirectURIs"])
        #expect(faults.map(\.kind) == [.conflict])
        #expect(faults.map(\.value) == [address])
        #expect(faults.first?.expected.contains("/auth, /credential-binding-link, /docs") == true)
        #expect(load(yaml.replacing("issuer: '\(issuer)'", with: "issuer: 'https://other.example'")).faults == [])
    }

    @Test func `without an issuer our own host is where we listen`() {
        let yaml = app(
            "clientID: acme-app", "redirectURIs: ['https://127.0.0.1:8080/auth/x', 'https://127.0.0.1:8080/cb']")
        #expect(load(yaml).faults.map(\.value) == ["https://127.0.0.1:8080/auth/x"])
        #expect(load(yaml + "http: {port: 0}\n").faults == [])
    }

    @Test(arguments: ["https://signin.example.com", "http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]"])
    func `an issuer in https or on this machine is right for apps`(issuer: String) {
        #expect(load(leastWithApp + "session: {issuer: '\(issuer)'}\n").faults == [])
    }

    @Test(arguments: ["10.0.0.1", "gatehouse", "0.0.0.0"])
    func `without an issuer a listener that others reach is a fault where there are apps`(host: String) {
        let faults = load(leastWithApp + "http: {host: '\(host)'}\n").faults
        #expect(faults.map(\.key) == ["session.issuer"])
        #expect(faults.map(\.kind) == [.missing])
        for loopback in ["127.0.0.1", "localhost", "::1"] {
            #expect(load(leastWithApp + "http: {host: '\(loopback)'}\n").faults == [])
        }
        if host != "0.0.0.0" { #expect(load(least + "http: {host: '\(host)'}\n").faults == []) }
    }

    @Test(arguments: ["@", "s3cret", "123456789012345"])
    func `a secret of an app or a resource server that can be guessed is a fault`(secret: String) throws {
        let yaml =
            appWith("secret: '\(secret)'")
            + "resourceServers: [api]\nresourceServer: {api: {id: api, secret: '\(secret)'}}\n"
        let faults = load(yaml).faults
        #expect(faults.map(\.key) == ["app.acme.secret", "resourceServer.api.secret"])
        #expect(faults.allSatisfy { $0.expected.contains("at least 16 characters") })
        #expect(!faults.description.contains(secret))
        let long = yaml.replacing("'\(secret)'", with: "1234567890123456")
        #expect(load(long).faults == [])
    }

    private func twins(_ address: String, _ other: String) -> LoadedSettings {
        load(
            least + "apps: [acme, twin]\napp:\n"
                + "  acme: {clientID: acme, redirectURIs: ['https://acme.example/cb', '\(address)']}\n"
                + "  twin: {clientID: twin, redirectURIs: ['\(other)', 'https://twin.example/cb']}\n")
    }

    @Test(arguments: [
        ("com.acme.app:/callback", "com.acme.app:/other", "com.acme.app:"),
        ("COM.acme.app:/a", "com.acme.app:/a", "com.acme.app:"),
        ("https://acme.example/a", "https://acme.example/a", "https://acme.example/a"),
        ("http://127.0.0.1/cb", "http://127.0.0.1/cb", "http://127.0.0.1/cb"),
    ])
    func `two apps that are called by one address are worth a notice`(address: String, other: String, shared: String) {
        let loaded = twins(address, other)
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == ["app.twin.redirectURIs"])
        #expect(loaded.notices.first?.sentence.contains("shares \(shared) with app.acme") == true)
    }

    @Test(arguments: [
        ("com.acme.app:/callback", "com.acme.twin:/callback"), ("https://acme.example/a", "https://acme.example/b"),
    ])
    func `two apps with addresses of their own are not`(address: String, other: String) {
        #expect(twins(address, other).notices == [])
    }

    @Test func `an issuer in plain http that others reach is worth a notice`() {
        let told = load(least + "session: {issuer: 'http://signin.example.com'}\n").notices
        #expect(told.map(\.key) == ["session.issuer"])
        for issuer in ["https://signin.example.com", "http://127.0.0.1:8080", "http://localhost"] {
            #expect(load(least + "session: {issuer: '\(issuer)'}\n").notices == [])
        }
    }

    @Test func `faults of several clients are reported together, and no secret among them`() {
        let yaml = """
            apps: [one, two]
            app:
              one: {secret: hunter2, redirectURIs: ['http://one.example']}
              two: {clientID: x, secret: "hunter2\\x01", redirectURIs: ['https://two.example'], providers: [none]}
            resourceServers: [api]
            resourceServer: {api: {secret: [hunter2]}}

            """
        let faults = load(least + yaml).faults
        #expect(
            Set(faults.map(\.key)) == [
                "app.one.clientID", "app.one.redirectURIs", "app.one.secret", "app.two.secret", "app.two.providers",
                "resourceServer.api.id", "resourceServer.api.secret",
            ])
        #expect(!faults.description.contains("hunter2"))
    }
}
