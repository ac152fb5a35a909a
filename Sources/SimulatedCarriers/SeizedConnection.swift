internal import EventLoop
internal import Glibc
internal import HTTPServer
internal import Syntax
import System

/// The connection a request came on, taken from under the server, to do what no proper server does: to reset it, to
/// leave an answer half sent, to send what is no HTTP.
///
/// The server neither knows nor offers this. Its socket is found among this process's descriptors by its two ends and
/// duplicated, so the server's own descriptor keeps its one owner; what the server then writes finds a closed
/// connection, which it must bear from any client anyway.
struct SeizedConnection: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// - Parameters:
    ///   - request: whose connection.
    ///   - port: where the server that received it listens.
    /// - Returns: nil when the connection is gone.
    init?(of request: HTTPRequest, at port: UInt16) {
        for number in Self.openDescriptors {
            // Before anything is duplicated: closing the duplicate of a file would drop the locks this process has on it.
            guard unsafe Self.end(getpeername, number) == End(request.peer) else { continue }
            let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard duplicate >= 0 else { continue }
            let owned = OwnedDescriptor(owning: duplicate)
            // Looked at again after duplicating: the number may belong to something else by now, the duplicate can't.
            if unsafe Self.end(getpeername, duplicate) == End(request.peer),
                unsafe Self.end(getsockname, duplicate)?.port == port
            {
                descriptor = owned
                return
            }
        }
        return nil
    }

    /// Sends bytes, as far as the system takes them now.
    ///
    /// - Returns: false when the other side is gone.
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        let number = descriptor.number
        return unsafe bytes.withUnsafeBytes { raw in
            unsafe Glibc.send(number, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL)) == raw.count
        }
    }

    /// Whether the other side has said its last. The server can't take that for leaving, since a client may still read
    /// when it has nothing more to send; here it can: the clients of these carriers keep both directions open.
    var peerHasLeft: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor.number, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Ends the connection in good order (TCP FIN).
    func close() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// Ends it with a reset (TCP RST): to connect to no address dissolves the association (connect(2)).
    func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        _ = unsafe connect(descriptor.number, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// One end of a connection, IPv4 in IPv6 taken for IPv4.
    private struct End: Equatable {
        let high: UInt64
        let low: UInt64
        let port: UInt16

        init(_ address: SocketAddress) {
            (high, low, port) = (address.address.high, address.address.low, address.port)
        }

        /// Reads a `sockaddr_in` or `sockaddr_in6`: the family in the machine's order, then all in network order.
        init?(_ bytes: [UInt8]) {
            func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
            port = UInt16(number(2..<4))
            let family = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) }
            switch Int32(family) {
            case AF_INET: (high, low) = (number(4..<8) << 32, 0)
            case AF_INET6:
                let (first, second) = (number(8..<16), number(16..<24))
                let isIPv4 = first == 0 && second >> 32 == 0xFFFF
                (high, low) = isIPv4 ? (second << 32, 0) : (first, second)
            default: return nil
            }
        }
    }

    private typealias AddressCall = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    private static func end(_ call: AddressCall, _ number: Int32) -> End? {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
        var length = socklen_t(bytes.count)
        let result = unsafe bytes.withUnsafeMutableBytes { raw in
            unsafe raw.withMemoryRebound(to: sockaddr.self) { unsafe call(number, $0.baseAddress, &length) }
        }
        return result == 0 ? End(bytes) : nil
    }

    private static var openDescriptors: [Int32] {
        guard let directory = unsafe opendir("/proc/self/fd") else { return [] }
        defer { unsafe closedir(directory) }
        var numbers: [Int32] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
