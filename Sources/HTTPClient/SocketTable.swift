internal import CCurl
import EventLoop
import Glibc
import System

/// The sockets of a pool on the loop: curl's while it makes a connection, and the connection's own from then on.
final class SocketTable: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, from curl's callbacks and from the sockets' readiness.
    let loop: EventLoop
    /// Runs curl on a socket that is ready, with curl's `CURL_CSELECT_…` bits.
    var onReady: (Int32, Int32) -> Void = { _, _ in }
    private var sockets: [WatchedSocket?] = []
    private let limits: HTTPClientLimits

    init(loop: EventLoop, limits: HTTPClientLimits) {
        (self.loop, self.limits) = (loop, limits)
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

    /// Lets a connection hear of its socket from now on.
    func handOver(_ descriptor: Int32, to connection: OutboundConnection) throws(SystemError) {
        guard let socket = entry(descriptor) else { return }
        if socket.interest != nil { loop.deregister(descriptor) }
        socket.interest = .readable
        try loop.register(descriptor, for: .readable, handler: connection)
    }

    /// Changes what a connection waits for.
    func wait(_ descriptor: Int32, for interest: Readiness) {
        guard let socket = entry(descriptor), socket.interest != interest else { return }
        socket.interest = interest
        // Without readiness the exchange meets its deadline, which is what its sender can handle.
        try? loop.update(descriptor, for: interest)
    }

    func close(_ descriptor: Int32) {
        forget(descriptor)
        Glibc.close(descriptor)
    }

    /// Does what curl asks for with `CURL_POLL_…`.
    func watch(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            // Curl's own descriptors are closed without a word to us, and of the others it lets go where it is done.
            if let socket = entry(descriptor), !socket.isOurs { forget(descriptor) }
            return
        }
        let socket = entry(descriptor) ?? insert(descriptor, isOurs: false)
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
        var mask: Int32 = 0
        if readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        // What has failed or hung up is read from and written to, so that bytes that came before are not lost and the
        // error has its own name.
        if !readiness.isDisjoint(with: [.failed, .hangup]) { mask |= CURL_CSELECT_IN | CURL_CSELECT_OUT }
        onReady(socket.descriptor, mask)
    }

    private func entry(_ descriptor: Int32) -> WatchedSocket? {
        sockets.indices.contains(Int(descriptor)) ? sockets[Int(descriptor)] : nil
    }

    @discardableResult
    private func insert(_ descriptor: Int32, isOurs: Bool) -> WatchedSocket {
        forget(descriptor)
        while sockets.count <= Int(descriptor) { sockets.append(nil) }
        let socket = WatchedSocket(descriptor, isOurs: isOurs, table: self)
        sockets[Int(descriptor)] = socket
        return socket
    }

    /// Stops to watch a socket, before it is closed.
    func forget(_ descriptor: Int32) {
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
    private weak var table: SocketTable?

    init(_ descriptor: Int32, isOurs: Bool, table: SocketTable) {
        (self.descriptor, self.isOurs, self.table) = (descriptor, isOurs, table)
    }

    func descriptorIsReady(_ readiness: Readiness) {
        table?.isReady(self, readiness)
    }
}
