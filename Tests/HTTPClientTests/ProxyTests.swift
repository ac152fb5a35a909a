import Glibc
import HTTPClient
import Synchronization
import Testing

/// A proxy that makes tunnels, and remembers what it was asked.
private final class TestProxy: Sendable {
    let server: ScriptedServer
    private let heads: Asked

    final class Asked: Sendable {
        let heads = Mutex<[String]>([])
    }

    /// - Parameter answer: what it says when it is asked for a tunnel; what follows a 200 is the tunnel.
    init(answer: String = "HTTP/1.1 200 Connection established\r\n\r\n", port: UInt16 = 0) throws {
        let asked = Asked()
        heads = asked
        server = try ScriptedServer { connection, _ in
            guard let head = connection.request() else { return }
            asked.heads.withLock { $0.append(head) }
            connection.send(answer)
            if answer.contains(" 200 "), port > 0 { connection.tunnel(to: port) } else { connection.waitForEnd() }
        }
    }

    var asked: [String] { heads.heads.withLock(\.self) }

    func policy(_ user: String = "", anchors: String? = nil, except exceptions: [String] = []) throws -> OutboundPolicy
    {
        var proxy = try #require(OutboundProxy("http://\(user)127.0.0.1:\(server.port)"))
        proxy.exceptions = exceptions.compactMap { ProxyException($0) }
        return OutboundPolicy.local.with {
            $0.caFile = anchors
            $0.proxy = proxy
        }
    }
}

@Suite(.enabled(if: TestAuthority.isAvailable, "needs the openssl command")) struct `An outbound proxy` {
    @Test func `makes a tunnel, in which TLS is with the server, once for several requests`() async throws {
        let authority = try TestAuthority()
        let origin = try ScriptedServer(tls: authority) { connection, _ in
            while connection.request() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        }
        let proxy = try TestProxy(port: origin.port)
        let policy = try proxy.policy("user:p%40ss:w@", anchors: authority.anchors)
        try await withClient { client in
            for _ in 0..<3 {
                let response = try await client.send(
                    .get("https://localhost:\(origin.port)/secret-path", policy: policy))
                #expect(response.status == 200 && response.text == "hi")
            }
        }
        #expect(proxy.asked.count == 1)
        let head = try #require(proxy.asked.first)
        #expect(head.hasPrefix("CONNECT localhost:\(origin.port) HTTP/1.1\r\n"))
        // user:p@ss:w
        #expect(head.contains("Proxy-Authorization: Basic dXNlcjpwQHNzOnc=\r\n"))
        #expect(!head.contains("secret-path"))
    }

    @Test func `is no authority for the server's name`() async throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        let origin = try ScriptedServer(tls: authority) { connection, _ in connection.waitForEnd() }
        let proxy = try TestProxy(port: origin.port)
        try await withClient { client in
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(
                    .get("https://localhost:\(origin.port)/", policy: try proxy.policy(anchors: other.anchors)))
            }
            // The certificate is for localhost, wherever the tunnel leads.
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(
                    .get(
                        "https://provider.example:\(origin.port)/",
                        policy: try proxy.policy(anchors: authority.anchors)))
            }
        }
        #expect(proxy.asked.count == 2)
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Authenticate\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 407),
        ("HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n", 302),
        ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", 403),
        ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", 502),
    ])
    func `that makes no tunnel is named with its status, and nobody else is asked`(
        answer: String, status: Int
    ) async throws {
        let proxy = try TestProxy(answer: answer)
        try await withClient { client in
            await #expect(throws: HTTPClientError.refusedByProxy(status: status)) {
                try await client.send(.get("https://provider.example/", policy: try proxy.policy("user:secret@")))
            }
        }
        #expect(proxy.asked.count == 1)
    }

    @Test(arguments: [
        "garbage that is no HTTP\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 60_000))\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\(String(repeating: "X: aaaaaaaaaaaaaaaa\r\n", count: 5_000))\r\n",
    ])
    func `that answers with garbage, or without end, ends the request and nothing else`(answer: String) async throws {
        let proxy = try TestProxy(answer: answer)
        try await withClient { client in
            let policy = try proxy.policy().with { $0.connectTimeout = .seconds(2) }
            await #expect(throws: HTTPClientError.self) {
                try await client.send(.get("https://provider.example/", policy: policy))
            }
        }
        #expect(proxy.asked.count == 1)
    }

    @Test func `that says more than a head may have is not listened to`() async throws {
        let proxy = try TestProxy(
            answer: "HTTP/1.1 200 OK\r\n" + String(repeating: "X: aaaaaaaaaaaaaaaa\r\n", count: 5_000) + "\r\n")
        try await withClient { client in
            await #expect(throws: HTTPClientError.responseTooLarge) {
                try await client.send(.get("https://provider.example/", policy: try proxy.policy()))
            }
        }
    }

    @Test func `that hangs costs no more than the time to connect, and nothing was sent`() async throws {
        let proxy = try TestProxy(answer: "")
        try await withClient { client in
            let policy = try proxy.policy().with { $0.connectTimeout = .milliseconds(200) }
            await #expect(throws: HTTPClientError.timedOut(requestSent: false)) {
                try await client.send(.get("https://provider.example/", policy: policy))
            }
        }
    }

    @Test func `is asked for no host that names a private one, where the policy allows none`() async throws {
        let proxy = try TestProxy()
        let policy = try proxy.policy().with { $0.allowsPrivateAddresses = false }
        try await withClient { client in
            for host in [
                "10.0.0.1", "169.254.169.254", "[::1]", "[fd00::1]", "192.168.1.1:8443", "localhost", "a.localhost",
                "metadata.google.internal", "printer.local", "intranet", "router.home.arpa",
            ] {
                await #expect(throws: HTTPClientError.refusedAddress, "\(host)") {
                    try await client.send(.get("https://\(host)/", policy: policy))
                }
            }
        }
        #expect(proxy.asked.isEmpty)
    }

    @Test func `is passed by for exceptions, for what is on this machine, and for plain http`() async throws {
        let authority = try TestAuthority()
        let origin = try ScriptedServer(tls: authority) { connection, _ in
            while connection.request() != nil { connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
        }
        let plain = try ScriptedServer(answer: "HTTP/1.1 204 No Content\r\n\r\n")
        let proxy = try TestProxy(answer: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        try await withClient { client in
            for exception in ["localhost", "localhost:\(origin.port)"] {
                let policy = try proxy.policy(anchors: authority.anchors, except: [exception])
                #expect(try await client.send(.get("https://localhost:\(origin.port)/", policy: policy)).status == 204)
            }
            #expect(try await client.send(.get(plain, policy: try proxy.policy())).status == 204)
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(.get("https://127.0.0.1:\(origin.port)/", policy: try proxy.policy()))
            }
            #expect(proxy.asked.isEmpty)
            for exception in ["localhost:1", "host", "ocalhost", "x.localhost"] {
                let policy = try proxy.policy(anchors: authority.anchors, except: [exception])
                await #expect(throws: HTTPClientError.refusedByProxy(status: 403)) {
                    try await client.send(.get("https://localhost:\(origin.port)/", policy: policy))
                }
            }
            // What is below an exception is one.
            await #expect(throws: HTTPClientError.self) {
                try await client.send(
                    .get("https://nowhere.invalid:1/", policy: try proxy.policy(except: ["invalid"])))
            }
        }
        #expect(proxy.asked.count == 4)
    }

    @Test(arguments: [
        "", "proxy:3128", "https://proxy:3128", "socks5://proxy:1080", "http://proxy", "http://proxy:0",
        "http://proxy:3128/x",
        "http://proxy:3128?x", "http://user@proxy:3128", "http://:pw@proxy:3128", "http://a:%0d%0aX@proxy:3128",
        "http://a:b@c:d@", "http://*:3128", "http://a%3Ab:c@proxy:3128",
    ])
    func `is read from no other text than its grammar has`(text: String) {
        #expect(OutboundProxy(text) == nil)
    }

    @Test func `shows no password`() throws {
        let proxy = try #require(OutboundProxy("http://user:hidden@proxy.example:3128/"))
        #expect("\(proxy)" == "http://proxy.example:3128")
    }

    @Test(
        arguments: [
            ("corp.example", "corp.example"), ("CORP.example:8443", "corp.example:8443"), ("10.0.0.1", "10.0.0.1"),
            ("[2001:db8::1]:443", "[2001:db8::1]:443"), ("[2001:db8::1]", "[2001:db8::1]"),
            ("corp.example:443", "corp.example:443"),
            ("corp.example:80", "corp.example:80"), ("*.corp.example", nil), (".corp.example", nil),
            ("10.0.0.0/8", nil),
            ("corp.example:x", nil), ("a b", nil), ("", nil), ("user@corp.example", nil),
        ] as [(String, String?)])
    func `has exceptions of hosts and ports, and no patterns`(text: String, read: String?) {
        #expect(ProxyException(text)?.description == read)
    }
}
