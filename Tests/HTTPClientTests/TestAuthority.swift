import Glibc
import Testing

/// An authority nobody else trusts, with a certificate for `localhost`, in a folder of its own.
final class TestAuthority: Sendable {
    let folder: String
    var anchors: String { folder + "/ca.pem" }
    var certificate: String { folder + "/certificate.pem" }
    var key: String { folder + "/key.pem" }

    static let isAvailable = (try? Command.run(["openssl", "version"])) != nil

    init() throws {
        var template = Array("/tmp/gatehouse-tls-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, let path = unsafe mkdtemp(base) else { return nil }
            return unsafe String(cString: path)
        }
        folder = try #require(made)
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        try Command.run(
            ["openssl", "req", "-x509", "-keyout", folder + "/ca.key", "-out", anchors, "-subj", "/CN=Test"] + newKey
                + ["-addext", "basicConstraints=critical,CA:TRUE"])
        try Command.run(
            ["openssl", "req", "-x509", "-CA", anchors, "-CAkey", folder + "/ca.key", "-keyout", key]
                + ["-out", certificate, "-subj", "/CN=localhost"] + newKey
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
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www",
            ] + more)
        let line = try server.line(startingWith: "ACCEPT 127.0.0.1:")
        return (server, String(line.dropFirst("ACCEPT 127.0.0.1:".count)))
    }
}
