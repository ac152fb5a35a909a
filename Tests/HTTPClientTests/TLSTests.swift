import Glibc
import HTTPClient
import Testing

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
            // The server takes HTTP/2 from a client that offers it, and then can't speak it.
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
            await #expect(throws: HTTPClientError.tlsHandshakeFailed) {
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
