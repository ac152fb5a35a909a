import EventLoop
import System
import TLS

/// The bytes of a client's connection, as they come or under TLS.
enum ClientStream: ~Copyable {
    case plain(StreamSocket)
    case secure(TLSStream)

    var number: Int32 {
        switch self {
        case .plain(let socket): socket.number
        case .secure(let stream): stream.number
        }
    }

    var isSecure: Bool {
        switch self {
        case .plain: false
        case .secure: true
        }
    }

    /// Whether the client is not known well enough yet to be told anything.
    var isHandshaking: Bool {
        switch self {
        case .plain: false
        case .secure(let stream): stream.isHandshaking
        }
    }

    /// Goes on with a handshake off the loop, where it would hold up others (``TLSStream/goAway(_:)``).
    ///
    /// - Returns: false where there is none that would.
    borrowing func goAway(_ done: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case .plain: false
        case .secure(let stream): stream.goAway(done)
        }
    }

    /// Is on the loop again.
    ///
    /// - Returns: whether the handshake has ended.
    borrowing func comeBack() -> Bool {
        switch self {
        case .plain: true
        case .secure(let stream): stream.comeBack()
        }
    }

    /// Whether there is more to be read that the loop will not announce.
    var hasMore: Bool {
        switch self {
        case .plain: false
        case .secure(let stream): stream.hasMore
        }
    }

    /// The SHA-256 of the client's certificate; nil for none.
    var clientCertificate: [UInt8]? {
        switch self {
        case .plain: nil
        case .secure(let stream): stream.clientCertificate
        }
    }

    borrowing func receive(overwriting buffer: inout [UInt8]) throws(SystemError) -> StreamSocket.Received {
        switch self {
        case .plain(let socket): try socket.receive(overwriting: &buffer)
        case .secure(let stream): try stream.receive(overwriting: &buffer)
        }
    }

    borrowing func send(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
        switch self {
        case .plain(let socket): try socket.send(bytes, from: offset)
        case .secure(let stream): try stream.send(bytes, from: offset)
        }
    }

    borrowing func send(_ first: [UInt8], _ second: [UInt8], from offset: Int) throws(SystemError) -> Int {
        switch self {
        case .plain(let socket): try socket.send(first, second, from: offset)
        case .secure(let stream): try stream.send(first, second, from: offset)
        }
    }

    borrowing func disableNagle() {
        switch self {
        case .plain(let socket): socket.disableNagle()
        case .secure(let stream): stream.disableNagle()
        }
    }

    borrowing func shutdownSending() {
        switch self {
        case .plain(let socket): socket.shutdownSending()
        case .secure(let stream): stream.shutdownSending()
        }
    }
}
