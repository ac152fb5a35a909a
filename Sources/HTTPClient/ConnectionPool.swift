internal import CCurl
import EventLoop
import Syntax
import System

/// One of curl's multi handles on the loop: the connections and transfers of one kind of policy.
///
/// Policies that differ in what they let through have pools of their own, so that no request goes out on a connection
/// that another policy has let pass.
@safe
final class ConnectionPool: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only: by the client, which lives there, by the loop's timers and sockets,
    // and by curl, which calls back while one of these calls it.

    /// What of a policy a connection depends on.
    struct Key: Hashable, Sendable {
        let caFile: String?
        let allowsPrivateAddresses: Bool
        let connectionsPerHost: Int
        /// Without TLS no trust anchors are needed, and none are waited for.
        let isSecure: Bool

        init(_ policy: OutboundPolicy, _ url: EndpointURL) {
            isSecure = url.scheme == "https"
            caFile = policy.caFile
            allowsPrivateAddresses = policy.allowsPrivateAddresses
            connectionsPerHost = policy.connectionsPerHost
        }
    }

    /// How often curl is run again at once because it asks for it, before the loop gets its turn.
    private static let runsInARow = 8

    /// What its requests have in common.
    let key: Key
    /// Requests that have chosen this pool and are about to start.
    var expected = 0
    private let settings: TransferSettings
    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketTable
    private var active: [(transfer: Transfer, deadline: MonotonicTime)] = []
    private var idle: [Transfer] = []
    /// Curl's own timer.
    private let alarm: LoopTimer
    /// The earliest deadline of the active transfers, or one that was.
    private let deadlines: LoopTimer
    /// Whether curl has asked to be run again at once.
    private var isDue = false

    /// - Parameter connections: how many one host gets at most from this pool; 0 is no limit.
    /// - Throws: `couldNotConnect` when curl is out of memory, or was not built with the library that is needed.
    init(
        key: Key, connections: Int, limits: HTTPClientLimits, trust: TrustAnchors?, loop: EventLoop
    ) throws(HTTPClientError) {
        self.key = key
        guard CurlLibrary.isReady, let sessions = ShareHandle(), let multi = unsafe curl_multi_init() else {
            throw .couldNotConnect
        }
        settings = TransferSettings(key: key, limits: limits, trust: trust, sessions: sessions)
        unsafe self.multi = unsafe multi
        sockets = SocketTable(loop: loop, limits: limits)
        let owner = Owner()
        alarm = loop.timer { owner.pool?.run(CURL_SOCKET_TIMEOUT, 0) }
        deadlines = loop.timer { owner.pool?.expire() }
        owner.pool = self
        sockets.onReady = { owner.pool?.run($0, $1) }
        configure(connections)
    }

    private func configure(_ connections: Int) {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe CCurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
        unsafe CCurl_multi_set_timer(multi) { _, milliseconds, pool in
            guard let pool = unsafe pool else { return -1 }
            unsafe Unmanaged<ConnectionPool>.fromOpaque(pool).takeUnretainedValue().setAlarm(milliseconds)
            return 0
        }
        unsafe CCurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        unsafe CCurl_multi_set_socket(multi) { _, descriptor, what, table, _ in
            guard let table = unsafe table else { return -1 }
            unsafe Unmanaged<SocketTable>.fromOpaque(table).takeUnretainedValue().watch(descriptor, what)
            return 0
        }
        unsafe CCurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections)
        // Those in use count too. A smaller number would close connections that the next request wants.
        let kept = max(1, settings.limits.idleConnections, 2 * connections)
        unsafe CCurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, kept)
    }

    /// Begins a transfer; the continuation is resumed exactly once, when it ends.
    func start(_ request: OutboundRequest, id: UInt64, _ continuation: CheckedContinuation<Transfer.Outcome, Never>) {
        guard let transfer = idle.popLast() ?? Transfer(settings, sockets: sockets) else {
            continuation.resume(returning: .failure(.couldNotConnect))
            return
        }
        do throws(HTTPClientError) {
            try transfer.load(request, id: id)
        } catch {
            continuation.resume(returning: .failure(error))
            return
        }
        transfer.attach(continuation)
        transfer.position = active.count
        let deadline = MonotonicTime.now + request.timeout
        active.append((transfer, deadline))
        guard unsafe curl_multi_add_handle(multi, transfer.raw) == CURLM_OK else {
            end(transfer, .failure(.couldNotConnect))
            return
        }
        if deadlines.deadline.map({ deadline < $0 }) ?? true { deadlines.move(to: deadline) }
        runWhileDue()
    }

    /// Ends a transfer before its time, if it has not ended yet.
    ///
    /// - Returns: whether it was one of this pool's.
    func cancel(_ id: UInt64) -> Bool {
        guard let transfer = active.first(where: { $0.transfer.id == id })?.transfer else { return false }
        end(transfer, .failure(.cancelled))
        runWhileDue()
        return true
    }

    /// Whether no transfer is under way, and none is to come.
    var isIdle: Bool { active.isEmpty && expected == 0 }

    /// Ends all transfers and closes all connections. The pool is of no use afterwards.
    func tearDown() {
        while let transfer = active.last?.transfer { end(transfer, .failure(.shutDown)) }
        idle.removeAll()
        unsafe curl_multi_cleanup(multi)
        alarm.cancel()
        deadlines.cancel()
    }

    /// Lets curl do what a socket or its timer allows.
    private func run(_ descriptor: Int32, _ mask: Int32) {
        act(descriptor, mask)
        runWhileDue()
    }

    private func runWhileDue() {
        for _ in 0..<Self.runsInARow {
            guard isDue else { return }
            isDue = false
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        if isDue {
            isDue = false
            alarm.move(to: .now)
        }
    }

    private func act(_ descriptor: Int32, _ mask: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, descriptor, mask, &running)
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            var pointer: UnsafeMutableRawPointer?
            unsafe CCurl_easy_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &pointer)
            guard let pointer = unsafe pointer else { continue }
            let transfer = unsafe Transfer.at(pointer)
            end(transfer, transfer.outcome(unsafe CCurl_message_result(message)))
        }
    }

    private func end(_ transfer: Transfer, _ outcome: Transfer.Outcome) {
        unsafe curl_multi_remove_handle(multi, transfer.raw)
        let position = transfer.position
        let last = active.removeLast()
        if last.transfer !== transfer {
            active[position] = last
            last.transfer.position = position
        }
        transfer.finish(outcome)
        if idle.count < settings.limits.idleTransfers, !transfer.isWorn { idle.append(transfer) }
    }

    /// Ends what has passed its deadline. Curl's own limit would leave out a transfer that still waits for a connection.
    private func expire() {
        let now = MonotonicTime.now
        for (transfer, deadline) in active where deadline <= now {
            if transfer.requestSent { sockets.noteSilence(localPort: transfer.localPort) }
            end(transfer, .failure(.timedOut(requestSent: transfer.requestSent)))
        }
        deadlines.move(to: active.lazy.map(\.deadline).min())
        runWhileDue()
    }

    /// Curl's wish to be run after so many milliseconds; -1 is never.
    private func setAlarm(_ milliseconds: Int) {
        isDue = milliseconds == 0
        alarm.move(to: milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil)
    }
}

/// The way from a timer to its pool, which is complete only after its timers are.
private final class Owner: @unchecked Sendable {
    // Unchecked: set before the timers are, and used on the loop's thread.
    weak var pool: ConnectionPool?
}
