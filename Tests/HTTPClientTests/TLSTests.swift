import Glibc
import HTTPClient
import Testing

/// An authority nobody else trusts, with a certificate for `localhost`, in a folder of its own.
final class TestAuthority {
    let folder: String
    var anchors: String { folder + "/ca.pem" }

    static let isAvailable = (try? Command.run(["openssl", "version"])) != nil

    init() throws {
        var template = Array("/tmp/gatehouse-tls-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, let path = unsafe mkdtemp(base) else { return nil }
            return unsafe String(cString: path)
        }
        folder = try #require(made)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        try Command.run(
            ["openssl", "req", "-x509", "-keyout", folder + "/ca.key", "-out", anchors, "-subj", "/CN=Test"] + key
                + ["-addext", "basicConstraints=critical,CA:TRUE"])
        try Command.run(
            ["openssl", "req", "-x509", "-CA", anchors, "-CAkey", folder + "/ca.key", "-keyout", folder + "/key.pem"]
                + ["-out", folder + "/certificate.pem", "-subj", "/CN=localhost"] + key
                + ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"])
    }

    deinit {
        for name in ["ca.pem", "ca.key", "key.pem", "certificate.pem", "empty.pem", "pipe.pem"] {
            unsafe unlink(folder + "/" + name)
        }
        unsafe rmdir(folder)
    }

    /// Starts a server that answers every request with a page of its own.
    func serve(_ more: [String] = []) throws -> (server: Command, port: String) {
        let server = try Command(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", folder + "/certificate.pem", "-key",
                folder + "/key.pem", "-www",
            ] + more)
        let line = try server.line(startingWith: "ACCEPT 127.0.0.1:")
        return (server, String(line.dropFirst("ACCEPT 127.0.0.1:".count)))
    }
}

@Suite(.enabled(if: TestAuthority.isAvailable, "needs the openssl command")) struct `A TLS connection` {
    @Test func `a TLS connection is made to a server whose authority the policy adds`() async throws {
        let authority = try TestAuthority()
        let (server, port) = try authority.serve()
        let policy = OutboundPolicy.local.with { $0.caFile = authority.anchors }
        try await withClient { client in
            for _ in 0..<2 {
                let response = try await client.send(.get("https://localhost:\(port)/", policy: policy))
                #expect(response.status == 200)
                #expect(response.text.contains("TLSv1."))
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test func `speaks HTTP/1.1 to a server that would rather speak HTTP/2`() async throws {
        let authority = try TestAuthority()
        let (server, port) = try authority.serve(["-alpn", "h2,http/1.1"])
        let policy = OutboundPolicy.local.with { $0.caFile = authority.anchors }
        try await withClient { client in
            // The server takes HTTP/2 from whoever offers it, and then can't speak it.
            let response = try await client.send(.get("https://localhost:\(port)/", policy: policy))
            #expect(response.status == 200)
        }
        withExtendedLifetime(server) {}
    }

    @Test func `a TLS connection is refused to a server of an unknown authority`() async throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        let (server, port) = try authority.serve()
        let withOther = OutboundPolicy.local.with { $0.caFile = other.anchors }
        try await withClient { client in
            for policy in [OutboundPolicy.local, withOther] {
                await #expect(throws: HTTPClientError.tlsFailed) {
                    try await client.send(.get("https://localhost:\(port)/", policy: policy))
                }
            }
            // Trust in one policy is none in another.
            let right = OutboundPolicy.local.with { $0.caFile = authority.anchors }
            _ = try await client.send(.get("https://localhost:\(port)/", policy: right))
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(.get("https://localhost:\(port)/", policy: .local))
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test func `a TLS connection is refused to a server of another name`() async throws {
        let authority = try TestAuthority()
        let (server, port) = try authority.serve()
        let policy = OutboundPolicy.local.with { $0.caFile = authority.anchors }
        try await withClient { client in
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(.get("https://127.0.0.1:\(port)/", policy: policy))
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test func `a TLS connection is refused to a server that speaks no TLS`() async throws {
        let server = try ScriptedServer { connection, _ in connection.send("HTTP/1.1 200 OK\r\n\r\n") }
        try await withClient { client in
            await #expect(throws: HTTPClientError.tlsFailed) {
                try await client.send(.get("https://localhost:\(server.port)/"))
            }
        }
    }

    @Test func `times out with nothing sent when the handshake hangs`() async throws {
        let server = try ScriptedServer { connection, _ in connection.waitForEnd() }
        let policy = OutboundPolicy.local.with { $0.connectTimeout = .milliseconds(150) }
        try await withClient { client in
            await #expect(throws: HTTPClientError.timedOut(requestSent: false)) {
                try await client.send(.get("https://localhost:\(server.port)/", policy: policy))
            }
        }
    }

    @Test func `needs the file with anchors, and a certificate in it`() async throws {
        let authority = try TestAuthority()
        let empty = authority.folder + "/empty.pem"
        close(unsafe open(empty, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        try await withClient { client in
            for path in [authority.folder + "/missing.pem", empty] {
                let policy = OutboundPolicy.local.with { $0.caFile = path }
                await #expect(throws: HTTPClientError.tlsFailed) {
                    try await client.send(.get("https://localhost:1/", policy: policy))
                }
            }
        }
    }
}
