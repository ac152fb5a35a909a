import Apps
import Crypto
import JSON
import Testing

@testable import Settings

/// What holds for every kind of section with names, tried with those that are not providers'.
@Suite struct `Sections with names` {
    private static let yaml =
        leastWithApp + """
            resourceServers: [api-2]
            resourceServer:
              api-2:
                id: api
                secret: s3cret-of-the-api
            session: {splitAudiences: true}

            """

    @Test func `the environment alone can configure apps and resource servers`() throws {
        let environment = [
            "GATEHOUSE_APPS": "acme-web", "GATEHOUSE_APP_ACME_WEB_CLIENT_ID": "web",
            "GATEHOUSE_APP_ACME_WEB_SECRET_FILE": "/run/secrets/web",
            "GATEHOUSE_APP_ACME_WEB_REDIRECT_URIS": "https://a.example,https://b.example",
            "GATEHOUSE_RESOURCE_SERVERS": "api",
            "GATEHOUSE_APP_ACME_WEB_POST_LOGOUT_REDIRECT_URIS": "https://a.example/bye",
            "GATEHOUSE_RESOURCE_SERVER_API_ID": "api",
            "GATEHOUSE_RESOURCE_SERVER_API_SECRET": "s3cret-of-the-api", "GATEHOUSE_SESSION_SPLIT_AUDIENCES": "true",
            "GATEHOUSE_BROWSER_PENDING_SIGN_INS": "5",
        ]
        let loaded = load(least, environment: environment, files: ["/run/secrets/web": "s3cret-of-the-web"])
        #expect(loaded.faults == [])
        #expect(loaded.notices == [])
        let settings = try #require(loaded.settings)
        #expect(settings.apps.map(\.clientID) == ["web"])
        #expect(settings.apps.first?.secret?.revealedText == "s3cret-of-the-web")
        #expect(settings.apps.first?.redirectURIs.map(\.text) == ["https://a.example", "https://b.example"])
        #expect(settings.apps.first?.postLogoutRedirectURIs.map(\.text) == ["https://a.example/bye"])
        #expect(settings.resourceServers.map(\.secret.revealedText) == ["s3cret-of-the-api"])
        #expect(settings.browser.pendingSignIns == 5)
        let source = loaded.effective.first { $0.key == "app.acme-web.clientID" }?.source
        #expect(source == .environment("GATEHOUSE_APP_ACME_WEB_CLIENT_ID"))
    }

    @Test(arguments: [
        ("GATEHOUSE_APP_ACME_REDIRECT_URI", "GATEHOUSE_APP_ACME_REDIRECT_URIS"),
        ("GATEHOUSE_RESOURCE_SERVER_API_2_SECRT", "GATEHOUSE_RESOURCE_SERVER_API_2_SECRET"),
    ])
    func `an unknown variable of a listed section is a fault with the nearest key`(name: String, nearest: String) {
        let faults = load(Self.yaml, environment: [name: "hunter2"]).faults
        #expect(faults.map(\.kind) == [.unknownKey])
        #expect(faults.map(\.key) == [name])
        #expect(faults.map(\.expected) == [nearest])
    }

    @Test func `a variable of a key of a section that is not listed is a notice`() {
        let names = [
            "GATEHOUSE_APP_SPARE_CLIENT_ID", "GATEHOUSE_PROVIDER_SPARE_CLIENT_SECRET_FILE",
            "GATEHOUSE_RESOURCE_SERVER_SPARE_ID",
        ]
        let loaded = load(Self.yaml, environment: Dictionary(names.map { ($0, "x") }) { first, _ in first })
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == names)
        #expect(loaded.notices.first?.sentence.contains("apps does not list") == true)
    }

    @Test func `variables of other software that begin like a section's are left alone`() {
        let names = [
            "APP_ENV", "APP_NAME", "APP_URL", "APP_SECRET", "APP_DEBUG", "PROVIDER_URL", "RESOURCE_LIMIT", "BROWSER",
        ]
        let loaded = load(Self.yaml, environment: Dictionary(names.map { ($0, "x") }) { first, _ in first })
        #expect(loaded.faults == [])
        #expect(loaded.notices == [])
    }

    @Test func `variables of Kubernetes services are told where they begin like those of a listed section`() {
        let environment = [
            "GATEHOUSE_APP_SERVICE_HOST": "10.0.0.1", "GATEHOUSE_APP_PORT": "tcp://10.0.0.1:80",
            "GATEHOUSE_APP_ACME_SERVICE_HOST": "10.0.0.1",
        ]
        let loaded = load(Self.yaml, environment: environment)
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == ["GATEHOUSE_APP_ACME_SERVICE_HOST"])
    }

    @Test(arguments: [
        ("clientid: x", "app.acme.clientid", "app.acme.clientID"),
        ("redirectURI: []", "app.acme.redirectURI", "app.acme.redirectURIs"),
        ("secrt: hunter2", "app.acme.secrt", "app.acme.secret"),
    ])
    func `an unknown key of an app is a fault with the nearest of an app`(line: String, key: String, nearest: String) {
        let faults = load(appWith(line)).faults
        #expect(faults.map(\.kind) == [.unknownKey])
        #expect(faults.map(\.key) == [key])
        #expect(faults.map(\.expected) == [nearest])
        #expect(!faults.description.contains("hunter2"))
    }

    @Test(arguments: [
        ("app.acme.origins: []", "app: {acme: {origins: …}}"),
        ("resourceServer.api-2.secretFile: x", "resourceServer: {api-2: {secretFile: …}}"),
        ("resourceServer.api-2: {}", "resourceServer: {api-2: …}"),
    ])
    func `a key written with dots shows how it is nested`(line: String, nested: String) {
        let faults = load(Self.yaml + line + "\n").faults
        #expect(faults.map(\.kind) == [.dottedKey])
        #expect(faults.map(\.expected) == [nested])
    }

    @Test(arguments: [("ap: {acme: {}}", "app"), ("resourceServr: {api: {}}", "resourceServer")])
    func `a section whose word is misspelled is a fault with that word`(line: String, word: String) {
        let faults = load(least + line + "\n").faults
        #expect(faults.map(\.kind) == [.unknownKey])
        #expect(faults.map(\.expected) == [word])
    }

    @Test func `a section that is not listed is a notice, and its content is left alone`() throws {
        let loaded = load(least + "app: {spare: {what: ever}}\nresourceServer: {spare: {}}\n")
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == ["app.spare", "resourceServer.spare"])
        #expect(loaded.notices.map(\.sentence).allSatisfy { $0.contains("is not listed in") })
        #expect(try #require(loaded.settings).apps.isEmpty)
    }

    @Test func `a name that is listed needs a section`() {
        let faults = load(least + "apps: [acme]\nresourceServers: [api]\n").faults
        let missing = faults.filter { $0.expected.contains("lists") }
        #expect(missing.map(\.key) == ["app.acme", "resourceServer.api"])
        #expect(missing.map(\.kind) == [.missing, .missing])
    }

    @Test(arguments: ["apps: [Acme]", "apps: acme", "resourceServers: [a_b]", "resourceServers: [a, a]"])
    func `a list of names that does not hold is the only fault of its kind`(line: String) {
        let faults = load(least + line + "\napp: {acme: {clientID: ''}}\nresourceServer: {a: {}}\n").faults
        #expect(faults.map(\.key) == [String(line.prefix { $0 != ":" })])
    }

    @Test(arguments: ["app", "resourceServer"])
    func `a kind of section that is no mapping is a fault`(word: String) {
        #expect(load(least + "\(word): [acme]\n").faults.map(\.key) == [word])
    }

    @Test func `the effective configuration has every key of every section, with its source and without its secret`()
        throws
    {
        let loaded = load(Self.yaml)
        let keys = loaded.effective.map(\.key)
        #expect(keys.suffix(2) == ["resourceServer.api-2.id", "resourceServer.api-2.secret"])
        let ofApp = SettingKey<AppSettings>.all.map { "app.acme.\($0.name)" }
        #expect(keys.filter { $0.hasPrefix("app.") } == ofApp)
        #expect(keys.filter { $0.hasPrefix("app") }.first == "apps")
        func effective(_ key: String) throws -> EffectiveSetting {
            try #require(loaded.effective.first { $0.key == key })
        }
        #expect(try effective("resourceServer.api-2.secret").value == "<redacted>")
        #expect(try effective("app.acme.secret").value == "")
        #expect(try effective("app.acme.redirectURIs").value == ["https://acme.example/callback"])
        #expect(try effective("app.acme.redirectURIs").source == .file(line: 9))
        #expect(try effective("app.acme.otherBrowser").source == .builtIn)
    }
}
