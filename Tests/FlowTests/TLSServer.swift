import Foundation
import Glibc
import Testing

/// A provider of TLS with documents that are written beforehand, whose certificate nobody else trusts.
struct TLSServer {
    let folder: URL
    let port: UInt16
    private let process: ChildProcess

    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: command.path) }

    var certificate: URL { folder.appending(path: "certificate.pem") }
    var url: String { "https://localhost:\(port)" }

    /// - Parameters:
    ///   - isOver: whether the certificate's time is over.
    ///   - hasDocuments: whether it answers with what ``write(_:at:headers:)`` is given, else with a page of its own.
    init(_ folder: URL, isOver: Bool = false, hasDocuments: Bool = false) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        try Self.openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost", "-keyout", path("key.pem"), "-out", path("request.pem")
        ).wait()
        try Self.openssl(
            "x509", "-req", "-in", path("request.pem"), "-copy_extensions", "copy", "-signkey", path("key.pem"),
            "-days",
            isOver ? "-1" : "2", "-out", path("certificate.pem")
        ).wait()
        let said = folder.appending(path: "said")
        try Data().write(to: said)
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            [
                "-C", folder.path, Self.command.path, "s_server", "-accept", "127.0.0.1:0", "-cert",
                path("certificate.pem"), "-key", path("key.pem"), hasDocuments ? "-HTTP" : "-www",
            ], output: .file(said))
        var listening: UInt16?
        let deadline = ContinuousClock.now + .seconds(60)
        while listening == nil, process.isRunning, ContinuousClock.now < deadline {
            usleep(5_000)
            let text = try String(contentsOf: said, encoding: .utf8)
            listening = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) }
        }
        port = try #require(listening)
    }

    /// Lays down what it answers at a path.
    ///
    /// - Parameter date: what its clock shows.
    func write(_ document: String, at path: String, date: Date = Date()) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let time = DateFormatter()
        time.locale = Locale(identifier: "en_US_POSIX")
        time.timeZone = TimeZone(secondsFromGMT: 0)
        time.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let head = [
            "HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: \(document.utf8.count)",
            "Date: \(time.string(from: date))", "Connection: close",
        ]
        try Data("\(head.joined(separator: "\r\n"))\r\n\r\n\(document)".utf8).write(to: file)
    }

    /// Whether it listens already.
    func answers() -> Bool {
        let made = try? Self.openssl("s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", certificate.path)
        return made?.wait() == .exited(0)
    }

    func stop() {
        process.signal(SIGKILL)
        process.wait()
    }

    private static let command = URL(filePath: "/usr/bin/openssl")

    @discardableResult
    private static func openssl(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(command, arguments)
    }
}
