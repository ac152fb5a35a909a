internal import CCurl
import EventLoop
import System

/// One of curl's multi handles on the loop: what makes connections. A caller hears of each connection that it asked for
/// once.
@safe
final class Connector: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only: by its pool, by the loop's timer and sockets, and by curl, which
    // calls back while one of these calls it.

    /// How often curl is run again at once because it asks for it, before the loop gets its turn.
    private static let runsInARow = 8

    /// Where the connections are watched.
    let sockets: SocketTable
    /// Hears that curl has made a connection, or why not. It may give it up at once.
    var onMade: (OutboundConnection, HTTPClientError?) -> Void = { _, _ in }
    private let multi: UnsafeMutableRawPointer
    /// Curl's own timer.
    private let alarm: LoopTimer
    /// Whether curl has asked to be run again at once.
    private var isDue = false

    /// - Throws: `couldNotConnect` when curl is out of memory, or was not built with the library that is needed.
    init(loop: EventLoop, limits: HTTPClientLimits) throws(HTTPClientError) {
        guard CurlLibrary.isReady, let multi = unsafe curl_multi_init() else { throw .couldNotConnect }
        unsafe self.multi = unsafe multi
        sockets = SocketTable(loop: loop, limits: limits)
        let owner = Owner()
        alarm = loop.timer { owner.connector?.run(CURL_SOCKET_TIMEOUT, 0) }
        owner.connector = self
        sockets.onReady = { owner.connector?.run($0, $1) }
        configure()
    }

    private func configure() {
        // Safe: curl calls back only while the multi handle lives, and its pool lets go of that before it goes itself.
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe CCurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
        unsafe CCurl_multi_set_timer(multi) { _, milliseconds, connector in
            guard let connector = unsafe connector else { return -1 }
            unsafe Unmanaged<Connector>.fromOpaque(connector).takeUnretainedValue().setAlarm(milliseconds)
            return 0
        }
        unsafe CCurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        unsafe CCurl_multi_set_socket(multi) { _, descriptor, what, table, _ in
            guard let table = unsafe table else { return -1 }
            unsafe Unmanaged<SocketTable>.fromOpaque(table).takeUnretainedValue().watch(descriptor, what)
            return 0
        }
        // The pool has bounds of its own: curl must not close what was taken over from it.
        unsafe CCurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Int(Int32.max))
    }

    /// Begins to make a connection. What comes of it is told later, never before this returns.
    ///
    /// - Returns: false when curl does not take it.
    func connect(_ connection: OutboundConnection) -> Bool {
        guard unsafe curl_multi_add_handle(multi, connection.raw) == CURLM_OK else { return false }
        if isDue { alarm.move(to: .now) }
        return true
    }

    /// Closes a connection, or gives up to make it.
    func disconnect(_ connection: OutboundConnection) {
        // The loop lets go of it before its number can be somebody else's.
        sockets.forget(connection.descriptor)
        unsafe curl_multi_remove_handle(multi, connection.raw)
    }

    /// The connector is of no use afterwards. All connections are to be closed before.
    func tearDown() {
        unsafe curl_multi_cleanup(multi)
        alarm.cancel()
    }

    /// Lets curl do what a socket or its timer allows.
    private func run(_ descriptor: Int32, _ mask: Int32) {
        isDue = false
        act(descriptor, mask)
        for _ in 0..<Self.runsInARow {
            guard isDue else { return }
            isDue = false
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        if isDue { alarm.move(to: .now) }
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
            let connection = unsafe OutboundConnection.at(pointer)
            let code = unsafe CCurl_message_result(message)
            onMade(connection, code == CURLE_OK ? nil : connection.failure(code))
        }
    }

    /// Curl's request to be run after so many milliseconds; -1 is never.
    private func setAlarm(_ milliseconds: Int) {
        isDue = milliseconds == 0
        alarm.move(to: milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil)
    }
}

/// The way from a timer to its connector, which is complete only after its timer is.
private final class Owner: @unchecked Sendable {
    // Unchecked: set before the timer is, and used on the loop's thread.
    weak var connector: Connector?
}
