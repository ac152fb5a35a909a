import Glibc

/// Why a request of a test has no answer.
enum HTTPTestError: Error, Equatable {
    case noConnection
    case reset
    case endWithoutAnswer
    case notHTTP
    case timeout
}

/// An answer as it came: `body` is what arrived before the connection ended.
struct HTTPTestAnswer {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
    var announcedLength: Int? { header("Content-Length").flatMap { Int($0) } }
}

/// One blocking connection for one HTTP/1.1 request.
final class HTTPTestConnection {
    private let socket: Int32

    /// - Parameter url: `http://127.0.0.1:PORT…`; what follows the port is not looked at.
    init(to url: String, timeoutSeconds: Int = 20) throws {
        let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        guard let port = UInt16(authority.split(separator: ":").last ?? "") else { throw HTTPTestError.noConnection }
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = socket
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw HTTPTestError.noConnection }
    }

    deinit { close(socket) }

    func send(_ method: String, _ target: String, headers: [(String, String)] = [], body: String = "") throws {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.utf8.count)\r\n" }
        var bytes = Array((text + "\r\n" + body).utf8)[...]
        while !bytes.isEmpty {
            let sent = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw HTTPTestError.reset }
            bytes = bytes.dropFirst(sent)
        }
    }

    /// Says that nothing more will come.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads until the other side ends the connection.
    func receive() throws -> HTTPTestAnswer {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
            if count < 0 { throw errno == EAGAIN ? HTTPTestError.timeout : HTTPTestError.reset }
            if count == 0 { break }
            received += buffer.prefix(count)
        }
        return try Self.parse(received)
    }

    /// Reads what arrives next, at least one byte.
    func receivePart() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw count == 0 ? HTTPTestError.endWithoutAnswer : .reset }
        return Array(buffer.prefix(count))
    }

    private static func parse(_ bytes: [UInt8]) throws -> HTTPTestAnswer {
        guard !bytes.isEmpty else { throw HTTPTestError.endWithoutAnswer }
        guard
            let end = (0..<max(0, bytes.count - 3)).first(where: { bytes[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
            )
        else { throw HTTPTestError.notHTTP }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { throw HTTPTestError.notHTTP }
        let headers = lines.dropFirst().map { line in
            let halves = line.split(separator: ":", maxSplits: 1)
            return (name: String(halves[0]), value: String(halves.last?.drop { $0 == " " } ?? ""))
        }
        return HTTPTestAnswer(status: status, headers: headers, body: Array(bytes[(end + 4)...]))
    }
}

enum HTTPTest {
    static func request(
        _ method: String, _ url: String, headers: [(String, String)] = [], body: String = ""
    ) throws -> HTTPTestAnswer {
        let connection = try HTTPTestConnection(to: url)
        let rest = url.dropFirst("http://".count).drop { $0 != "/" }
        try connection.send(method, rest.isEmpty ? "/" : String(rest), headers: headers, body: body)
        return try connection.receive()
    }

    static func get(_ url: String, headers: [(String, String)] = []) throws -> HTTPTestAnswer {
        try request("GET", url, headers: headers)
    }

    static func post(
        _ url: String, _ fields: [(String, String)] = [], headers: [(String, String)] = []
    ) throws -> HTTPTestAnswer {
        try request(
            "POST", url, headers: headers + [("Content-Type", "application/x-www-form-urlencoded")], body: form(fields))
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The fields of the query in a URL.
    static func query(of url: String) -> [String: String] {
        let fields = url.drop { $0 != "?" }.dropFirst().split(separator: "&").map { field in
            let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (unescape(halves[0]), unescape(halves.last ?? ""))
        }
        return Dictionary(fields) { first, _ in first }
    }

    private static func unescape(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
