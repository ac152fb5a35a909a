import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stands between the client and the service, and loses of answers what a test says: a request is heard, and of its
/// answer only so many bytes come back.
final class CuttingProxy: @unchecked Sendable {
    // Unchecked: the lock is held whenever what changes is touched.
    private let lock = NSLock()
    private let listener: Int32
    private let upstream: UInt16
    private var heard: [String] = []
    private var cuts: [Int] = []
    private var canned: String?
    private var length = 0
    let port: UInt16

    init(before url: URL) throws {
        upstream = UInt16(url.port ?? 80)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = listener
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(bound, $0, size) | listen(bound, 512) | getsockname(bound, $0, &size)
            }
        }
        guard status == 0 else { throw CocoaError(.fileReadUnknown) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(fileURLWithPath: "/") }

    /// How many requests for a path have come.
    func count(_ path: String) -> Int { lock.withLock { heard.count { $0.hasPrefix("POST \(path) ") } } }
    /// How long the last answer was, before anything of it was lost.
    var lastLength: Int { lock.withLock { length } }
    /// Lets only so many bytes of each of the next answers come back.
    func cut(_ lengths: Int...) { lock.withLock { cuts = lengths } }
    /// Answers with this from now on, and asks the service nothing.
    func answer(_ text: String?) { lock.withLock { canned = text } }
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let request = Self.read(connection, whole: true)
        let text = String(decoding: request, as: UTF8.self)
        guard let end = text.range(of: "\r\n") else { return }
        let canned = lock.withLock {
            heard.append(String(text[..<end.lowerBound]))
            return self.canned
        }
        let answer =
            canned.map { Data($0.utf8) }
            ?? Self.exchange(
                Data(text.replacingCharacters(in: end, with: "\r\nConnection: close\r\n").utf8), upstream)
        let count = lock.withLock {
            length = answer.count
            return cuts.isEmpty ? answer.count : min(cuts.removeFirst(), answer.count)
        }
        Self.write(connection, answer.prefix(count))
    }

    /// Sends a request to a port of this machine, and reads to the end of the connection.
    static func exchange(_ request: Data, _ port: UInt16) -> Data {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = Self.address(port)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return Data() }
        write(server, request)
        return read(server, whole: false)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Reads a request to the end of its body, or an answer to the end of the connection.
    private static func read(_ descriptor: Int32, whole: Bool) -> Data {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while !(whole && isWhole(data)) {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            data += chunk[..<count]
        }
        return data
    }

    private static func isWhole(_ request: Data) -> Bool {
        let text = String(decoding: request, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let field = text[..<end.lowerBound].lowercased().range(
            of: #"content-length: *\d+"#, options: .regularExpression)
        let length = field.flatMap { Int(text.lowercased()[$0].filter(\.isNumber)) } ?? 0
        return text[end.upperBound...].utf8.count >= length
    }

    private static func write(_ descriptor: Int32, _ data: Data) {
        var sent = 0
        while sent < data.count {
            let count = data.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
