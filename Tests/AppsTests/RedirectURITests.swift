import Apps
import Crypto
import Testing

@Suite("A registered redirect URI")
struct RedirectURITests {
    @Test(arguments: [
        "https://acme.example/cb", "com.acme.app:/callback", "http://127.0.0.1/cb", "http://[::1]:8080/cb?x=1",
    ])
    func `matches itself to the letter`(text: String) {
        #expect(RedirectURI(text).matches(text))
    }

    @Test(arguments: [
        "https://acme.example/cb/", "https://ACME.example/cb", "https://acme.example:443/cb", "http://acme.example/cb",
        "https://acme.example/CB", "https://acme.example/cb?", "https://acme.example/cb#",
        "https://acme.example/cb?x=1",
        "https://user@acme.example/cb", "https://acme.example@evil.example/cb", "https://acme.example.evil.example/cb",
        "https://acme.example/cb%2F", "https://acme.example/x/../cb", "https://acme.example\\/cb", "",
        "https://acme.e\u{301}xample/cb",
    ])
    func `matches no look-alike of an https address`(address: String) {
        #expect(!RedirectURI("https://acme.example/cb").matches(address))
    }

    @Test(arguments: [
        ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"), ("http://127.0.0.1:80/cb", "http://127.0.0.1/cb"),
        ("http://[::1]/cb?x=1", "http://[::1]:1/cb?x=1"), ("http://127.0.0.1", "http://127.0.0.1:65535"),
    ])
    func `matches a loopback address with any port`(registered: String, address: String) {
        #expect(RedirectURI(registered).matches(address))
    }

    @Test(arguments: [
        "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb", "http://127.0.0.1:8x/cb",
        "http://127.0.0.1:80:80/cb", "http://127.0.0.1:49152/CB", "http://127.0.0.1:49152/cb/", "http://127.0.0.2/cb",
        "http://127.0.0.1:80@evil.example/cb", "http://127.0.0.1.evil.example/cb", "http://localhost:49152/cb",
        "https://127.0.0.1:49152/cb", "http://[::1]:49152/cb", "http://127.0.0.1:8080/cb#", "http://127.0.0.1:+80/cb",
    ])
    func `matches no look-alike of a loopback address`(address: String) {
        #expect(!RedirectURI("http://127.0.0.1/cb").matches(address))
    }

    @Test func `takes no name for a loopback address`() {
        #expect(!RedirectURI("http://localhost/cb").matches("http://localhost:49152/cb"))
    }
}

@Suite("A registered app")
struct RegisteredAppTests {
    private func app(_ redirectURIs: [String], secret: String? = nil, providers: [String] = []) -> RegisteredApp {
        RegisteredApp(
            name: "acme", clientID: "acme-ios", secret: secret.map { Secret($0) },
            redirectURIs: redirectURIs.map { RedirectURI($0) }, providers: providers, origins: ["https://acme.example"],
            postLogoutRedirectURIs: [RedirectURI("https://acme.example/bye")], otherBrowser: .refuse,
            consent: .implicit,
            idTokenAlgorithm: .rs256)
    }

    @Test func `is reached by claimed addresses only when all of its addresses are https`() {
        #expect(app(["https://acme.example/cb"]).isReachedByClaimedAddressesOnly)
        #expect(!app(["https://acme.example/cb", "com.acme:/cb"]).isReachedByClaimedAddressesOnly)
        #expect(!app(["http://127.0.0.1/cb"]).isReachedByClaimedAddressesOnly)
    }

    @Test func `accepts its own secret and no other`() {
        let app = app(["https://acme.example/cb"], secret: "s3cret")
        let directory = AppRegistry([app], resourceServers: [])
        #expect(directory.accepts(secret: "s3cret", of: app))
        #expect(!directory.accepts(secret: "s3cre", of: app))
        #expect(!directory.accepts(secret: "", of: app))
    }

    @Test func `accepts no secret when it has none`() {
        let device = self.app(["https://acme.example/cb"])
        #expect(!AppRegistry([device], resourceServers: []).accepts(secret: "", of: device))
    }

    @Test func `allows every provider unless it names some`() {
        #expect(app([]).allows(provider: "zenkey"))
        #expect(app([], providers: ["zenkey"]).allows(provider: "zenkey"))
        #expect(!app([], providers: ["zenkey"]).allows(provider: "other"))
    }
}

@Suite("The directory of apps")
struct AppDirectoryTests {
    private let directory = AppRegistry([], resourceServers: [ResourceServer(id: "api", secret: Secret("key"))])

    @Test func `knows a resource server by its id and secret only`() {
        #expect(directory.isResourceServer("api", secret: "key"))
        #expect(!directory.isResourceServer("api", secret: "other"))
        #expect(!directory.isResourceServer("other", secret: "key"))
    }

    @Test func `takes other secrets while it is used, and makes no app confidential or public by that`() {
        func app(_ name: String, _ secret: String?) -> RegisteredApp {
            RegisteredApp(
                name: name, clientID: name, secret: secret.map { Secret($0) }, redirectURIs: [], providers: [],
                origins: [], postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit,
                idTokenAlgorithm: .rs256)
        }
        let (web, device) = (app("web", "old"), app("device", nil))
        let directory = AppRegistry(
            [web, device], resourceServers: [ResourceServer(id: "api", secret: Secret("old"))])
        directory.renewSecrets(
            of: [app("web", "new"), app("device", "new"), app("stranger", "new")],
            [ResourceServer(id: "api", secret: Secret("new")), ResourceServer(id: "stranger", secret: Secret("new"))])
        #expect(directory.accepts(secret: "new", of: web) && !directory.accepts(secret: "old", of: web))
        #expect(!directory.accepts(secret: "new", of: device))
        #expect(directory.isResourceServer("api", secret: "new") && !directory.isResourceServer("api", secret: "old"))
        #expect(!directory.isResourceServer("stranger", secret: "new"))
        directory.renewSecrets(of: [app("web", nil)], [])
        #expect(directory.accepts(secret: "new", of: web))
    }

    @Test func `has nobody who may introspect where neither resource server nor secret is configured`() {
        #expect(directory.hasIntrospectors)
        #expect(!AppRegistry([], resourceServers: []).hasIntrospectors)
    }
}
