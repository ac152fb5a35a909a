import Crypto
import Syntax
import Testing

@testable import Apps

@Suite struct `The addresses of apps on our own host` {
    private static let issuer = "https://signin.example"

    private static func app(_ name: String, _ redirectURIs: [String]) -> RegisteredApp {
        RegisteredApp(
            name: name, clientID: "\(name)-id", secret: nil, redirectURIs: redirectURIs.map { RedirectURI($0) },
            providers: [], origins: [], postLogoutRedirectURIs: [], otherBrowser: .refuse, consent: .implicit,
            idTokenAlgorithm: .es256)
    }

    private static func landings(
        _ redirectURIs: [String], at issuer: String = issuer
    ) -> [Landing] {
        AppRegistry([app("acme", redirectURIs)], resourceServers: []).landings(at: BaseURL(issuer))
    }

    private static func link(_ redirectURIs: [String], _ query: String?) throws -> String {
        try #require(landings(redirectURIs).first).link(query: query)
    }

    @Test(arguments: [
        ("https://signin.example/cb", "/cb"), ("https://SignIn.Example:443/a/b;c%2F", "/a/b;c%2F"),
        ("https://signin.example", "/"), ("https://signin.example?x=1", "/"), ("https://signin.example/", "/"),
        ("https://signin.example/cb?x=1", "/cb"), ("https://signin.example/authority", "/authority"),
        ("https://signin.example//cb", "//cb"),
    ])
    func `are those with its host and port, by the path that is asked for`(address: String, path: String) {
        #expect(Self.landings([address]).map(\.path) == [path])
    }

    @Test(arguments: [
        "https://acme.example/cb", "https://signin.example:8443/cb", "http://127.0.0.1/cb", "com.example.acme:/cb",
        "https://signin.example.evil/cb", "https://sub.signin.example/cb",
    ])
    func `are none that lead elsewhere`(address: String) {
        #expect(Self.landings([address]).isEmpty)
    }

    @Test func `are told by the host and port of the issuer, an address in whatever way it is written`() {
        #expect(Self.landings(["https://[0:0::1]:8443/cb"], at: "https://[::1]:8443").count == 1)
        #expect(Self.landings(["https://10.0.0.1/cb"], at: "https://[::1]").isEmpty)
        #expect(Self.landings(["https://127.0.0.1:8080/cb"], at: "http://127.0.0.1:8080").count == 1)
        #expect(Self.landings(["https://signin.example/cb"], at: "none").isEmpty)
    }

    @Test(arguments: [
        "/auth", "/auth/authorize", "/auth/any/callback", "/users/me", "/.well-known/jwks.json", "/healthz", "/docs",
        "/openapi.json", "//auth/token", "/x/../auth/token", "/x/%2E%2e/auth", "/./docs", "/%61uth/token",
        "/auth%2Ftoken", "/..",
    ])
    func `never take a path of ours, nor one that may become one on its way`(path: String) throws {
        let address = Self.issuer + path
        #expect(Self.landings([address]).isEmpty)
        #expect(try #require(OwnHost(issuer: Self.issuer)).isReserved(RedirectURI(address)))
        #expect(
            try #require(OwnHost(issuer: Self.issuer + "/base")).isReserved(RedirectURI(Self.issuer + "/base" + path)))
        #expect(try #require(OwnHost(issuer: "https://other.example")).isReserved(RedirectURI(address)) == false)
    }

    @Test func `are linked with what came, to the letter`() throws {
        let address = "https://signin.example/cb"
        #expect(try Self.link([address], nil) == address)
        #expect(try Self.link([address], "") == address)
        let query = "code=a-b.c_d~&state=%7B%22%3A1%7D&iss=https%3A%2F%2Fsignin.example&x='/?:@!$()*+,;"
        #expect(try Self.link([address], query) == "\(address)?\(query)")
        #expect(try Self.link([address + "?app=1"], "app=1&code=x") == address + "?app=1&code=x")
        let long = String(repeating: "x", count: 16_384)
        #expect(try Self.link([address], long) == "\(address)?\(long)")
    }

    @Test(arguments: [
        ("\"><script>alert(1)</script>", "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"), ("a b\r\nc", "a%20b%0D%0Ac"),
        ("#f", "%23f"), ("%", "%25"), ("%zz%4", "%25zz%254"), ("%00%FF", "%00%FF"), ("ü\u{0}", "%C3%BC%00"),
        ("\\\\evil.example", "%5C%5Cevil.example"), ("//evil.example", "//evil.example"),
        ("javascript:alert(1)", "javascript:alert(1)"), ("`{}|^[]", "%60%7B%7D%7C%5E%5B%5D"),
    ])
    func `are never left by what came, which has an escape wherever it needs one`(query: String, written: String) throws
    {
        #expect(try Self.link(["https://signin.example/cb"], query) == "https://signin.example/cb?" + written)
        #expect(try Self.link(["https://signin.example/cb", "com.acme:/cb"], query) == "com.acme:/cb?" + written)
        #expect(try Self.link(["https://signin.example//evil"], query) == "https://signin.example//evil?" + written)
    }

    @Test(arguments: [
        (["com.example.acme:/cb"], "com.example.acme:/cb?code=x"),
        (["com.example.acme://host/cb?a=1", "com.other:/cb"], "com.example.acme://host/cb?a=1&code=x"),
        (["http://127.0.0.1/cb"], nil), (["acme:/cb"], nil), (["javascript:alert(1)"], nil),
        (["https://elsewhere.example/cb"], nil),
    ])
    func `open the app by a scheme of its own where it has one that is made of a domain`(
        others: [String], link: String?
    )
        throws
    {
        let address = "https://signin.example/cb"
        for addresses in [[address] + others, others + [address]] {
            #expect(try Self.link(addresses, "code=x") == link ?? "https://signin.example/cb?code=x")
        }
    }

    @Test func `of several apps name none, and use a scheme only where it is that of all`() throws {
        let (address, scheme) = ("https://signin.example/cb", "com.example.acme:/cb")
        func landing(_ first: [String], _ second: [String]) throws -> Landing {
            let apps = AppRegistry([Self.app("one", first), Self.app("two", second)], resourceServers: [])
            let landings = apps.landings(at: BaseURL(Self.issuer))
            #expect(landings.count == 1)
            return try #require(landings.first)
        }
        let shared = try landing([address, scheme], ["com.other:/cb", scheme, address])
        #expect(shared.app == nil)
        #expect(shared.link(query: "code=x") == scheme + "?code=x")
        #expect(try landing([address, scheme], [address]).link(query: "code=x") == address + "?code=x")
        let alone = try landing([address, address + "?x=1", scheme], [scheme])
        #expect(alone.app == "one")
    }
}
