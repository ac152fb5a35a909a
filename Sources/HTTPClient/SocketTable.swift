internal import CCurl
import EventLoop
import Glibc
import System

/// The sockets that curl uses on the loop.
///
/// Curl asks to stop watching a connection with every answer and to watch it again with the next request. A connection
/// that we opened stays registered in between, which saves two system calls a request: it is quiet while it is idle, and
/// when it is not, the peer is gone, and it is forgotten then.
final class SocketTable: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, from curl's callbacks and from the sockets' readiness.
    let loop: EventLoop
    /// Runs curl on a socket that is ready, with curl's `CURL_CSELECT_…` bits.
    var onReady: (Int32, Int32) -> Void = { _, _ in }
    private var sockets: [WatchedSocket?] = []
    private let limits: HTTPClientLimits

    init(loop: EventLoop, limits: HTTPClientLimits) {
        self.loop = loop
        self.limits = limits
    }

    /// Opens a socket for a connection; curl closes it through ``close(_:)``.
    ///
    /// - Returns: -1 when the system has none left.
    func open(family: Int32, type: Int32, protocol number: Int32) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type | flags, number)
        if descriptor >= 0 {
            limits.watchOver(descriptor)
            insert(descriptor, isOurs: true)
        }
        return descriptor
    }

    /// Hears that a request had no answer in time. Where the network has swallowed it, it has probably forgotten all
    /// connections to that server: then those that are idle are ended, so that no other request is lost on them. A server
    /// that is merely slow has acknowledged what it got.
    ///
    /// - Parameter localPort: our end of the connection.
    func noteSilence(localPort: UInt16) {
        // Many may be told of at once, so what is found out about a socket is kept.
        guard let silent = ours.first(where: { $0.localPort == localPort }), let peer = silent.peer,
            TCPState.isUnacknowledged(silent.descriptor)
        else { return }
        for socket in ours where !socket.isWatched && !socket.isEnded && socket.peer == peer {
            // Curl looks at a connection before it uses it again, and finds the end.
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
            socket.isEnded = true
        }
    }

    private var ours: some Sequence<WatchedSocket> { sockets.lazy.compactMap(\.self).filter(\.isOurs) }

    func close(_ descriptor: Int32) {
        forget(descriptor)
        Glibc.close(descriptor)
    }

    /// Does what curl asks for with `CURL_POLL_…`.
    func watch(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            guard let socket = entry(descriptor) else { return }
            socket.isWatched = false
            // Curl's own descriptors are closed without a word to us.
            if !socket.isOurs { forget(descriptor) }
            return
        }
        let socket = entry(descriptor) ?? insert(descriptor, isOurs: false)
        socket.isWatched = true
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        guard socket.interest != interest else { return }
        do throws(SystemError) {
            if socket.interest == nil {
                try loop.register(descriptor, for: interest, handler: socket)
            } else {
                try loop.update(descriptor, for: interest)
            }
            socket.interest = interest
        } catch {
            // Without readiness the transfer meets its timeout, which is what its sender can handle.
            loop.deregister(descriptor)
            socket.interest = nil
        }
    }

    fileprivate func isReady(_ socket: WatchedSocket, _ readiness: Readiness) {
        guard socket.isWatched else {
            // Curl takes a connection with an error for alive, but not one at its end, which is what it is without the error.
            TCPState.forgetError(socket.descriptor)
            loop.deregister(socket.descriptor)
            socket.interest = nil
            return
        }
        var mask: Int32 = 0
        if readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        // What has failed or hung up is read from and written to, so that bytes that came before are not lost and the
        // error has its own name.
        if !readiness.isDisjoint(with: [.failed, .hangup]) { mask |= CURL_CSELECT_IN | CURL_CSELECT_OUT }
        onReady(socket.descriptor, mask)
    }

    private func entry(_ descriptor: Int32) -> WatchedSocket? {
        Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil
    }

    @discardableResult
    private func insert(_ descriptor: Int32, isOurs: Bool) -> WatchedSocket {
        forget(descriptor)
        while sockets.count <= Int(descriptor) { sockets.append(nil) }
        let socket = WatchedSocket(descriptor, isOurs: isOurs, table: self)
        sockets[Int(descriptor)] = socket
        return socket
    }

    private func forget(_ descriptor: Int32) {
        guard let socket = entry(descriptor) else { return }
        if socket.interest != nil { loop.deregister(descriptor) }
        sockets[Int(descriptor)] = nil
    }
}

/// One socket's place in the loop.
private final class WatchedSocket: ReadinessHandler, @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, by the table and by the loop that tells of readiness.
    let descriptor: Int32
    /// Whether the table opened it, and so hears of its end.
    let isOurs: Bool
    /// What the loop waits for; nil while it is not registered.
    var interest: Readiness?
    /// Whether curl wants to hear of it.
    var isWatched = false
    /// Whether we have ended it, for curl to find.
    var isEnded = false
    /// Its ends, asked for when the connection has been in use: they stay what they are.
    private(set) lazy var localPort = TCPState.localPort(descriptor)
    private(set) lazy var peer = TCPState.peer(descriptor)
    private weak var table: SocketTable?

    init(_ descriptor: Int32, isOurs: Bool, table: SocketTable) {
        self.descriptor = descriptor
        self.isOurs = isOurs
        self.table = table
    }

    func descriptorIsReady(_ readiness: Readiness) {
        table?.isReady(self, readiness)
    }
}
