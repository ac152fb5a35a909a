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
    private let socket: ConnectedSocket

    /// - Parameters:
    ///   - request: whose connection.
    ///   - port: where the server that received it listens.
    /// - Returns: nil when the connection is gone.
    init?(of request: HTTPRequest, at port: UInt16) {
        for number in FileNames.names(in: "/proc/self/fd").compactMap({ Int32($0) }) {
            // Before anything is duplicated: closing the duplicate of a file would drop the locks this process has on
            // it.
            guard SocketName.peer(of: number).flatMap(End.init) == End(request.peer),
                let duplicate = try? OwnedDescriptor(duplicating: number)
            else { continue }
            // Looked at again after duplicating: the number may belong to something else by now, the duplicate can't.
            if SocketName.peer(of: duplicate.number).flatMap(End.init) == End(request.peer),
                SocketName.own(of: duplicate.number).flatMap(End.init)?.port == port
            {
                socket = ConnectedSocket(owning: duplicate)
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
        return (try? socket.send(bytes)) == bytes.count
    }

    /// Whether the other side has said its last. The server can't take that for leaving, since a client may still read
    /// when it has nothing more to send; here it can: the clients of these carriers keep both directions open.
    var peerHasLeft: Bool { socket.peerHasEnded }

    /// Ends the connection in good order (TCP FIN).
    func close() { socket.shutDown() }

    /// Ends it with a reset (TCP RST).
    func reset() { socket.reset() }

    /// One end of a connection, IPv4 in IPv6 taken for IPv4.
    private struct End: Equatable {
        let high: UInt64
        let low: UInt64
        let port: UInt16

        init(_ address: SocketAddress) {
            (high, low, port) = (address.address.high, address.address.low, address.port)
        }

        /// Reads a `sockaddr_in` or `sockaddr_in6`: behind the family all is in network order.
        init?(_ name: SocketName) {
            let bytes = name.bytes
            guard bytes.count >= (name.family == AF_INET6 ? 24 : 8) else { return nil }
            func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
            port = UInt16(number(2..<4))
            switch name.family {
            case AF_INET: (high, low) = (number(4..<8) << 32, 0)
            case AF_INET6:
                let (first, second) = (number(8..<16), number(16..<24))
                let isIPv4 = first == 0 && second >> 32 == 0xFFFF
                (high, low) = isIPv4 ? (second << 32, 0) : (first, second)
            default: return nil
            }
        }
    }
}
