import EventLoop
import System

/// One client's connection: it reads requests, has them answered one after the other, and sees to the deadlines.
///
/// A client that has closed its sending side still gets its answers; one that has gone altogether, or whose connection
/// has failed, has its request's task cancelled.
actor Connection: LoopBound, ReadinessHandler {
    enum Phase {
        /// Waiting for a request or the rest of one.
        case receiving
        /// A task makes the answer.
        case answering
        /// A part of the answer has still to be taken by the client.
        case sending
        /// The last answer is sent; the client is given time to read it.
        case lingering
        case closed
    }

    nonisolated let loop: EventLoop
    nonisolated let listener: LoopListener
    nonisolated let peer: SocketAddress
    /// The descriptor's number, by which the listener knows the connection.
    nonisolated let number: Int32
    /// What it was let in as; the budget is told again when it closes.
    nonisolated let admission: ConnectionBudget.Admission
    var stream: StreamSocket?
    var parser = RequestParser()
    var phase = Phase.receiving
    /// The part of a request whose deadline runs; nil while none is awaited.
    var awaited: RequestParser.Stage?
    /// When the first byte of the present request was read; before that, when the connection began to wait for it.
    var receivedAt = MonotonicTime(nanoseconds: 0)
    /// Whether the client has closed its sending side.
    var inputHasEnded = false
    var closesAfterAnswer = false
    var answering: Task<Void, Never>?
    var unsent = UnsentAnswer()
    /// Whether a request has come, so that the next one is the client's free choice.
    var hasAsked = false
    private var interest: Readiness = []
    private var isRegistered = false
    private var deadline: MonotonicTime?
    private var timer: LoopTimer?
    private var timerFires = MonotonicTime(nanoseconds: .max)

    init(
        _ stream: consuming StreamSocket, peer: SocketAddress, admission: ConnectionBudget.Admission,
        listener: LoopListener
    ) {
        self.loop = listener.loop
        self.listener = listener
        self.peer = peer
        self.admission = admission
        number = stream.number
        self.stream = consume stream
    }

    /// Begins to read.
    func open() {
        guard phase == .receiving, stream != nil else { return }
        stream?.disableNagle()
        receivedAt = .now
        guard wait(for: .readable) else { return }
        // Over loopback and after an accept that came late, the request is often there already.
        receive()
    }

    nonisolated func descriptorIsReady(_ readiness: Readiness) {
        assumeOnLoop(readiness) { $0.isReady($1) }
    }

    private func isReady(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.failed, .hangup]) { return close() }
        if readiness.contains(.writable), phase == .sending { flush() }
        if readiness.contains(.readable) { receive() }
    }

    /// Tells the loop what to wait for, when that changes.
    ///
    /// - Returns: false when the system refused and the connection is closed.
    @discardableResult
    func wait(for interest: Readiness) -> Bool {
        guard phase != .closed else { return false }
        if isRegistered, interest == self.interest { return true }
        self.interest = interest
        do throws(SystemError) {
            if isRegistered {
                try loop.update(number, for: interest)
            } else {
                try loop.register(number, for: interest, handler: self)
                isRegistered = true
            }
            return true
        } catch {
            close()
            return false
        }
    }

    func stopWaiting(for readiness: Readiness) { wait(for: interest.subtracting(readiness)) }

    func alsoWait(for readiness: Readiness) { wait(for: interest.union(readiness)) }

    // MARK: Deadlines

    /// Sets the one deadline that runs. The timer is left alone when it fires before, since it looks again then.
    ///
    /// - Parameter timeout: in nanoseconds; 0 sets none.
    func setDeadline(_ timeout: Int64, from start: MonotonicTime) {
        guard timeout > 0 else { return deadline = nil }
        let (end, overflow) = start.nanoseconds.addingReportingOverflow(timeout)
        let deadline = MonotonicTime(nanoseconds: overflow ? .max : end)
        self.deadline = deadline
        if timer == nil || timerFires > deadline { arm(for: deadline) }
    }

    private func arm(for deadline: MonotonicTime) {
        timer?.cancel()
        timerFires = deadline
        timer = loop.schedule(after: max(.zero, deadline - .now)) { self.assumeIsolated { $0.timerFired() } }
    }

    private func timerFired() {
        timer = nil
        guard phase != .closed, let deadline else { return }
        if deadline > .now { arm(for: deadline) } else { deadlinePassed() }
    }

    private func deadlinePassed() {
        switch phase {
        case .receiving where parser.stage != .idle: refuse(.requestTimeout)
        case .receiving, .sending, .lingering: close()
        case .answering, .closed: break
        }
    }

    // MARK: The end

    /// Lets a client that waits for nothing go. One that has just connected is given time for its first request.
    func drain() {
        // What has arrived already is answered still.
        if phase == .receiving { receive() }
        guard phase == .receiving, parser.stage == .idle else { return }
        if hasAsked { return close() }
        setDeadline(listener.timeouts.firstRequestGrace, from: receivedAt)
        if listener.timeouts.firstRequestGrace == 0 { close() }
    }

    /// Closes after the last answer, once the client has read it: what it has sent and nobody read would make the
    /// system reset the connection, and the answer would be lost (RFC 9112 §9.6).
    func closeGently() {
        guard phase != .closed else { return }
        if inputHasEnded { return close() }
        stream?.shutdownSending()
        phase = .lingering
        setDeadline(listener.timeouts.linger, from: .now)
        wait(for: .readable)
    }

    /// Closes at once; a request that runs is cancelled.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        answering?.cancel()
        answering = nil
        timer?.cancel()
        timer = nil
        if isRegistered { loop.deregister(number) }
        listener.assumeIsolated { $0.forget(self) }
        stream = nil
        parser = RequestParser()
        unsent = UnsentAnswer()
    }
}
