import Foundation
import GatehouseTesting
import Glibc
import HTTPTesting
import Patience
import SimulatedCarriers
import Testing

/// A server that speaks TLS itself, with certificates of an authority that is made for the test.
private final class HTTPSStage: Sendable {
    static let isAvailable = ["/usr/bin/openssl", "/usr/bin/curl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let folder: URL
    let server: ServerProcess
    let log: URL

    /// - Parameters:
    ///   - http: more of the section `http`, in flow style; `{folder}` is the stage's.
    ///   - top: more of the configuration.
    ///   - key: the server's, as openssl is told to make it.
    init(
        _ gatehouse: RunningGatehouse, http: String = "", top: String = "", key: [String] = p256
    ) async throws {
        folder = gatehouse.folder.appending(path: "https")
        log = folder.appending(path: "log")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let folder = folder
        func filled(_ text: String) -> String { text.replacing("{folder}", with: folder.path) }
        try Self.makeAuthority(in: folder)
        try Self.makeCertificate("server", for: ["localhost", "id.example"], key: key, in: folder)
        let yaml = RunningGatehouse.yaml(
            gatehouse.simulation, folder, top: filled(top),
            http: filled("tlsCertificateFile: '{folder}/server.pem', tlsKeyFile: '{folder}/server.key', \(http)"))
        let file = folder.appending(path: "gatehouse.yaml")
        try Data(yaml.utf8).write(to: file)
        server = try await ServerProcess(configuration: file, log: log)
    }

    static func with(
        http: String = "", top: String = "", key: [String] = p256, _ body: (HTTPSStage) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with { gatehouse in
            let stage = try await HTTPSStage(gatehouse, http: http, top: top, key: key)
            defer { stage.server.kill() }
            try await body(stage)
        }
    }

    static let p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

    private static func openssl(_ arguments: String...) throws { try openssl(arguments) }

    private static func openssl(_ arguments: [String]) throws {
        let run = try ChildProcess(URL(filePath: "/usr/bin/openssl"), arguments)
        try #require(run.wait() == .exited(0), "\(arguments)")
    }

    private static func makeAuthority(in folder: URL) throws {
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=Authority", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", folder.path + "/ca.key", "-out",
            folder.path + "/ca.pem")
    }

    /// - Parameter names: DNS names; none for a client's.
    static func makeCertificate(
        _ file: String, for names: [String], days: Int = 2, key: [String] = p256, in folder: URL
    ) throws {
        let path = folder.path + "/" + file
        try openssl(
            ["req", "-newkey"] + key
                + ["-nodes", "-subj", "/CN=\(file)", "-keyout", path + ".key", "-out", path + ".csr"])
        let extensions = folder.appending(path: file + ".ext")
        let alternatives = names.isEmpty ? "" : "subjectAltName=" + names.map { "DNS:\($0)" }.joined(separator: ",")
        try Data("basicConstraints=CA:FALSE\n\(alternatives)\n".utf8).write(to: extensions)
        try openssl(
            "x509", "-req", "-in", path + ".csr", "-CA", folder.path + "/ca.pem", "-CAkey", folder.path + "/ca.key",
            "-days", "\(days)", "-extfile", extensions.path, "-out", path + ".pem")
    }

    struct Answer {
        let status: Int
        let text: String
        /// When the server's certificate ends, as curl tells it.
        let details: String
    }

    /// Asks as `curl` does; a status of 0 is no answer.
    ///
    /// - Parameter name: where the answer is kept, for who asks several times at once.
    func curl(
        _ target: String, host: String = "localhost", port: UInt16? = nil, as name: String = "", _ options: String...
    ) throws -> Answer {
        let (output, errors) = (folder.appending(path: "output" + name), folder.appending(path: "errors" + name))
        let port = port ?? server.port
        let run = try ChildProcess(
            URL(filePath: "/usr/bin/curl"),
            [
                "-sv", "--max-time", "20", "--noproxy", "*", "--cacert", folder.path + "/ca.pem", "--connect-to",
                "\(host):\(port):127.0.0.1:\(port)", "-w", "\n%{http_code}", "https://\(host):\(port)\(target)",
            ] + options, output: .file(output), errors: .file(errors))
        run.wait()
        let said = try String(contentsOf: output, encoding: .utf8)
        let lines = said.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(
            status: Int(lines.last ?? "") ?? 0, text: lines.dropLast().joined(separator: "\n"),
            details: try String(contentsOf: errors, encoding: .utf8))
    }

    var said: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
}

@Suite(.enabled(if: HTTPSStage.isAvailable, "needs the commands openssl and curl"))
struct `A server that speaks TLS` {
    @Test func `serves by TLS 1.2 and 1.3, as http/1.1, and calls itself so`() async throws {
        try await HTTPSStage.with { stage in
            for version in ["1.2", "1.3"] {
                let answer = try stage.curl("/healthz", "--tlsv\(version)", "--tls-max", version)
                #expect(answer.status == 200, "\(answer.details)")
                #expect(answer.details.contains("TLSv\(version)"))
                #expect(answer.details.contains("server accepted http/1.1"), "\(answer.details)")
            }
            let metadata = try stage.curl("/.well-known/jwks.json")
            #expect(metadata.status == 200)
            // A body of several records arrives whole.
            let long = try stage.curl("/auth/signin", "-d", String(repeating: "a", count: 60_000))
            #expect(long.status == 400)
            let openAPI = try stage.curl("/openapi.json")
            #expect(openAPI.status == 200 && openAPI.text.hasSuffix("}"))
            #expect(openAPI.text.utf8.count > 65_536)
            // Who speaks plain http there is no client.
            #expect(throws: HTTPTestError.self) {
                try LoopbackClient(port: stage.server.port).ask(HTTPTestRequest("GET", "/healthz", headers: []))
            }
            #expect(try stage.curl("/healthz").status == 200)
        }
    }

    @Test(arguments: [["rsa:3072"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]])
    func `serves with a key that signs slowly, beside clients that say something else`(key: [String]) async throws {
        try await HTTPSStage.with(key: key) { stage in
            for bytes in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x16, 0x03, 0x01]] as [[UInt8]] {
                try HTTPTestConnection(to: stage.server.port).write(bytes)
            }
            for version in ["1.2", "1.3"] {
                let answers = try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            try stage.curl(
                                "/healthz", as: "\(version)-\(number)", "--tlsv\(version)", "--tls-max", version)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count { $0.status == 200 } == 8, "\(answers.first?.details ?? "")")
            }
            let long = try stage.curl("/auth/signin", "-d", String(repeating: "a", count: 60_000))
            #expect(long.status == 400)
            let other = try HTTPTestConnection(to: stage.server.port, patienceSeconds: 30)
            other.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            // A few bytes that say so, and the end.
            #expect(throws: HTTPTestError.self) { try other.readLastAnswer() }
        }
    }

    @Test func `gives each client the certificate for the name it asks for`() async throws {
        try await HTTPSStage.with { stage in
            try HTTPSStage.makeCertificate("other", for: ["*.login.example"], in: stage.folder)
            let yaml = try String(contentsOf: stage.folder.appending(path: "gatehouse.yaml"), encoding: .utf8)
            let other =
                "tls: {certificates: [{certificateFile: '\(stage.folder.path)/other.pem', "
                + "keyFile: '\(stage.folder.path)/other.key'}]}, tlsKeyFile"
            let file = stage.folder.appending(path: "two.yaml")
            try Data(yaml.replacing("tlsKeyFile", with: other).replacing("users.db", with: "two.db").utf8)
                .write(to: file)
            let server = try await ServerProcess(configuration: file, log: stage.folder.appending(path: "two.log"))
            defer { server.kill() }
            for host in ["localhost", "id.example", "shop.login.example"] {
                let answer = try stage.curl("/healthz", host: host, port: server.port)
                #expect(answer.status == 200, "\(answer.details)")
            }
            // A name of nobody's gets the first, which is not for it.
            #expect(try stage.curl("/healthz", host: "nobody.example", port: server.port).status == 0)
        }
    }

    @Test func `serves a certificate that was renewed, and stays with the former where the new one is bad`()
        async throws
    {
        try await HTTPSStage.with { stage in
            func serial() throws -> String {
                let details = try stage.curl("/healthz").details
                return details.split(separator: "\n").first { $0.contains("expire date") }.map(String.init) ?? details
            }
            let address = try #require(stage.said.firstMatch(of: /admin listening address=\S*:(\d+)/))
            let operators = LoopbackClient(port: try #require(UInt16(address.1)))
            func end() async throws -> Double {
                let text = try await operators.send("GET", "/metrics").text
                let line = text.split(separator: "\n").first {
                    $0.hasPrefix(#"gatehouse_certificate_not_after_seconds{listener="http"}"#)
                }
                return try #require(line?.split(separator: " ").last.flatMap { Double($0) }, "\(text)")
            }
            let (before, first) = (try serial(), try await end())
            try HTTPSStage.makeCertificate("server", for: ["localhost"], days: 40, in: stage.folder)
            try await eventually("the certificate to be read again") {
                stage.said.contains("certificates were read again")
            }
            let renewed = try serial()
            #expect(renewed != before)
            #expect(try await end() > first + 30 * 86_400)
            try Data("nothing".utf8).write(to: stage.folder.appending(path: "server.pem"))
            try await eventually("the bad one to be told") { stage.said.contains("those from before stay") }
            #expect(stage.said.contains("holds no certificate in PEM"))
            #expect(try serial() == renewed)
            #expect(!stage.said.contains("PRIVATE KEY"))
        }
    }

    @Test func `sends plain http to https, and answers an ACME server from a folder and no other`() async throws {
        let port = try #require(freePort())
        try await HTTPSStage.with(http: "tls: {redirectPort: \(port), acmeFolder: '{folder}/acme'}") { stage in
            let acme = stage.folder.appending(path: "acme")
            try FileManager.default.createDirectory(at: acme, withIntermediateDirectories: true)
            try Data("token.print".utf8).write(to: acme.appending(path: "to-ken_1"))
            let client = LoopbackClient(port: port)
            let sent = try await client.send("GET", "/auth/authorize?a=b", headers: [:])
            #expect(sent.status == 308)
            #expect(sent.header("location") == "https://127.0.0.1:\(stage.server.port)/auth/authorize?a=b")
            let posted = try await client.send("POST", "/auth/signin", body: Array("code=x".utf8))
            #expect(posted.status == 308)
            let challenge = try await client.send("GET", "/.well-known/acme-challenge/to-ken_1", headers: [:])
            #expect(challenge.status == 200 && challenge.text == "token.print")
            for way in ["../gatehouse.yaml", "..%2fgatehouse.yaml", "", "to-ken_1/", "none", "%2e%2e"] {
                let answer = try await client.send("GET", "/.well-known/acme-challenge/\(way)", headers: [:])
                #expect(answer.status == 404, "\(way)")
            }
        }
    }

    @Test func `lets an operator in by a certificate that their authority has issued, and nobody else`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let first = try await HTTPSStage(gatehouse)
            defer { first.server.kill() }
            for name in ["anna", "ben"] { try HTTPSStage.makeCertificate(name, for: [], in: first.folder) }
            let text = try String(contentsOf: first.folder.appending(path: "anna.pem"), encoding: .utf8)
            let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let hash = Authorized.hexadecimalHash(of: Array(try #require(Data(base64Encoded: body))))
            let yaml = try String(contentsOf: first.folder.appending(path: "gatehouse.yaml"), encoding: .utf8)
            let admin = """
                admin: {port: 0, tls: {certificates: [{certificateFile: '\(first.folder.path)/server.pem', \
                keyFile: '\(first.folder.path)/server.key'}], clientCAFile: '\(first.folder.path)/ca.pem'}, \
                tokens: {anna: {certificateSHA256: '\(hash)', roles: [auditor]}}}
                """
            let file = first.folder.appending(path: "admin.yaml")
            let line = try #require(yaml.split(separator: "\n").first { $0.hasPrefix("admin:") })
            try Data(yaml.replacing(line, with: admin).replacing("users.db", with: "admin.db").utf8).write(to: file)
            let log = first.folder.appending(path: "admin.log")
            let server = try await ServerProcess(configuration: file, log: log)
            defer { server.kill() }
            let said = try String(contentsOf: log, encoding: .utf8)
            let address = try #require(said.firstMatch(of: /admin listening address=\S*:(\d+)/))
            let port = UInt16(address.1)
            func status(_ options: String...) throws -> Int {
                let path = options.first ?? ""
                return path.isEmpty
                    ? try first.curl("/admin/audit", port: port).status
                    : try first.curl(
                        "/admin/audit", port: port, "--cert", "\(first.folder.path)/\(path).pem", "--key",
                        "\(first.folder.path)/\(path).key"
                    ).status
            }
            #expect(try status("anna") == 200)
            #expect(try status("ben") == 401)
            #expect(try status() == 401)
            let command = try await CommandRun(["certificate", "check", "--config", file.path])
            #expect(command.status == 0, "\(command.everything)")
            #expect(command.output.contains("http  ") && command.output.contains("for localhost, id.example"))
            let short = try await CommandRun(["certificate", "check", "--days", "30", "--config", file.path])
            #expect(short.status == 1 && short.output.contains("is to last 30"))
        }
    }

    @Test func `closes a handshake that stays half, and goes on serving`() async throws {
        try await HTTPSStage.with(http: "headerTimeoutSeconds: 1") { stage in
            // A record that promises more than comes, and silence from the beginning.
            for bytes in [[0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0x16]] as [[UInt8]] {
                let began = ContinuousClock.now
                let connection = try HTTPTestConnection(to: stage.server.port, patienceSeconds: 30)
                connection.write(bytes)
                #expect(throws: HTTPTestError.self) { try connection.readLastAnswer() }
                #expect(ContinuousClock.now - began < .seconds(15))
            }
            #expect(try stage.curl("/healthz").status == 200)
        }
    }

    /// A port that nobody has just now.
    private func freePort() -> UInt16? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard unsafe bind(socket, name, length) == 0, unsafe getsockname(socket, name, &length) == 0 else {
                    return nil
                }
                return unsafe UInt16(bigEndian: place.pointee.sin_port)
            }
        }
    }
}
