public import EventLoop
import System

/// One connection to a server, on one event loop.
///
/// Batches are sent as they come, without waiting for the results of those before (pipeline mode). A batch is one implicit
/// transaction: when its results are there, it is committed. Once the connection is lost it stays so.
public actor PostgresConnection: LoopBound, ReadinessHandler {
    /// What was sent up to a Sync.
    private struct Exchange {
        let deadline: MonotonicTime
        var results: [PostgresRows] = []
        var refusal: PostgresError?
        /// Which statements are prepared; none where they are used.
        var prepares: [ObjectIdentifier] = []
        /// None where statements are prepared: what uses them comes behind and tells.
        var continuation: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>?
    }

    public nonisolated let loop: EventLoop
    private let preparesStatements: Bool
    private var handle: ConnectionHandle?
    private var descriptor: Int32 = -1
    private var isConnected = false
    private var connecting: CheckedContinuation<PostgresError?, Never>?
    /// What waits for results, in the order in which it was sent; the first of them is at `answered`.
    private var exchanges: [Exchange] = []
    private var answered = 0
    /// The names of statements, by identity; the statements are kept, since an identity is only good while they live.
    private var names: [ObjectIdentifier: (statement: PostgresStatement, name: String)] = [:]
    private var lastName = 0
    private var timer: LoopTimer?
    private var isWaitingToWrite = false

    /// Connects.
    ///
    /// - Parameters:
    ///   - loop: must run until ``close()`` has returned.
    ///   - timeout: for all of it, every host included. The looking up of names counts, but is not cut short: the system bounds it.
    ///   - preparesStatements: false behind a pooler that gives each transaction another connection to the server.
    /// - Throws: `PostgresError.notSent`.
    public static func open(
        _ address: PostgresAddress, on loop: EventLoop, timeout: Duration, preparesStatements: Bool = true
    ) async throws(PostgresError) -> PostgresConnection {
        let connection = PostgresConnection(loop: loop, preparesStatements: preparesStatements)
        let deadline = MonotonicTime.now + timeout
        try await connection.connect(to: address.resolved(), until: deadline)
        return connection
    }

    private init(loop: EventLoop, preparesStatements: Bool) {
        self.loop = loop
        self.preparesStatements = preparesStatements
    }

    /// Whether batches can be sent.
    public var isOpen: Bool { isConnected }

    /// How many batches wait for their results.
    public var load: Int { exchanges.count - answered }

    /// Sends statements that belong together, and waits until they are committed.
    ///
    /// One whose time is over takes the connection with it: nothing behind it would be answered sooner.
    ///
    /// - Returns: what each has given, in their order.
    /// - Throws: `PostgresError.refused` when one of them failed, and so none has happened.
    public func run(_ calls: [PostgresCall], timeout: Duration) async throws(PostgresError) -> [PostgresRows] {
        guard isConnected, let handle else { throw .notSent(.connectionLost) }
        let deadline = MonotonicTime.now + timeout
        guard prepare(calls, by: handle, until: deadline), send(calls, by: handle) else {
            let error = PostgresError.unknown(.connectionLost)
            fail(error)
            throw error
        }
        let outcome = await withCheckedContinuation { continuation in
            exchanges.append(Exchange(deadline: deadline, continuation: continuation))
            watch(for: deadline)
            flush()
        }
        return try outcome.get()
    }

    /// Ends the connection, which nobody else does; who waits is told that it is not known what became of what he sent.
    public func close() {
        fail(.unknown(.closed))
    }

    // MARK: Connecting

    private func connect(to address: PostgresAddress, until deadline: MonotonicTime) async throws(PostgresError) {
        guard let handle = ConnectionHandle(address) else {
            throw .notSent(.cannotConnect(reason: "there is no memory for a connection"))
        }
        self.handle = handle
        timer = loop.timer { [weak self] in self?.assumeOnLoop(()) { this, _ in this.timeIsOver() } }
        timer?.move(to: deadline)
        let error = await withCheckedContinuation { continuation in
            connecting = continuation
            // As libpq has it: as if it had said that it wants to write.
            handle.isBroken ? fail(.notSent(.cannotConnect(reason: handle.reason))) : wait(for: .writable)
        }
        if let error { throw error }
    }

    private func goOnConnecting(_ handle: ConnectionHandle) {
        // It may close the descriptor and open another one for the next host.
        forgetDescriptor()
        switch handle.poll() {
        case .wantsToRead: wait(for: .readable)
        case .wantsToWrite: wait(for: .writable)
        case .done:
            guard handle.enterPipeline() else { return fail(.notSent(.connectionLost)) }
            wait(for: .readable)
            guard connecting != nil else { return }
            isConnected = true
            timer?.move(to: nil)
            connecting?.resume(returning: nil)
            connecting = nil
        case .failed: fail(.notSent(.cannotConnect(reason: handle.reason)))
        }
    }

    private func wait(for interest: Readiness) {
        guard let handle else { return }
        descriptor = handle.descriptor
        do {
            try loop.register(descriptor, for: interest, handler: self)
        } catch {
            descriptor = -1
            fail(.notSent(.cannotConnect(reason: error.description)))
        }
    }

    private func forgetDescriptor() {
        if descriptor >= 0 { loop.deregister(descriptor) }
        descriptor = -1
    }

    // MARK: Sending

    /// Has those prepared that are new here, apart from the batch: what fails in that must not undo them.
    private func prepare(_ calls: [PostgresCall], by handle: ConnectionHandle, until deadline: MonotonicTime) -> Bool {
        guard preparesStatements else { return true }
        var prepared: [ObjectIdentifier] = []
        for call in calls where names[ObjectIdentifier(call.statement)] == nil {
            lastName += 1
            let name = "s\(lastName)"
            names[ObjectIdentifier(call.statement)] = (call.statement, name)
            guard handle.prepare(call.statement.text, as: name) else { return false }
            prepared.append(ObjectIdentifier(call.statement))
        }
        guard !prepared.isEmpty else { return true }
        exchanges.append(Exchange(deadline: deadline, prepares: prepared))
        return handle.synchronize()
    }

    private func send(_ calls: [PostgresCall], by handle: ConnectionHandle) -> Bool {
        for call in calls {
            guard handle.send(call, preparedAs: names[ObjectIdentifier(call.statement)]?.name) else { return false }
        }
        return handle.synchronize()
    }

    private func flush() {
        guard isConnected, let handle else { return }
        let flushed = handle.flush()
        if flushed == .failed { return fail(.unknown(.connectionLost)) }
        guard (flushed == .pending) != isWaitingToWrite else { return }
        isWaitingToWrite = flushed == .pending
        do {
            try loop.update(descriptor, for: isWaitingToWrite ? [.readable, .writable] : .readable)
        } catch {
            fail(.unknown(.connectionLost))
        }
    }

    // MARK: Receiving

    public nonisolated func descriptorIsReady(_ readiness: Readiness) {
        assumeOnLoop(()) { this, _ in this.isReady() }
    }

    private func isReady() {
        guard let handle else { return }
        guard isConnected else { return goOnConnecting(handle) }
        guard handle.read() else { return fail(.unknown(.connectionLost)) }
        receive(handle)
        // What could not be written because the server would not read before its answers were read.
        flush()
    }

    private func receive(_ handle: ConnectionHandle) {
        var isBetween = false
        while answered < exchanges.count, !handle.isWaiting {
            guard let outcome = handle.next() else {
                // Two of them: libpq has nothing more, whatever we wait for.
                if isBetween { break }
                isBetween = true
                continue
            }
            isBetween = false
            switch outcome {
            case .rows(let rows): exchanges[answered].results.append(rows)
            case .failure(let state, let constraint):
                // Said when the server goes away, and not about the batch, which may have been committed just then.
                if state.endsSession { return fail(.unknown(.connectionLost)) }
                if exchanges[answered].refusal == nil {
                    exchanges[answered].refusal = .refused(state, constraint: constraint)
                }
                // A primary that has become a standby.
                if state == .readOnlyTransaction { return fail(.unknown(.connectionLost)) }
            case .skipped: continue
            case .lost: return fail(.unknown(.connectionLost))
            case .synchronized: finish()
            }
        }
        if handle.isBroken { fail(.unknown(.connectionLost)) }
    }

    private func finish() {
        let exchange = exchanges[answered]
        exchanges[answered].continuation = nil
        exchanges[answered].results = []
        answered += 1
        if answered == exchanges.count {
            exchanges.removeAll(keepingCapacity: true)
            answered = 0
        } else if answered > 1_024 {
            exchanges.removeFirst(answered)
            answered = 0
        }
        guard let refusal = exchange.refusal else {
            exchange.continuation?.resume(returning: .success(exchange.results))
            return
        }
        exchange.continuation?.resume(returning: .failure(refusal))
        // The batch behind it is the one that they were prepared for: it is told the reason, not that it lacks a statement.
        if !exchange.prepares.isEmpty, answered < exchanges.count { exchanges[answered].refusal = refusal }
        for statement in exchange.prepares { names[statement] = nil }
    }

    // MARK: Ending

    /// Sees to it that the timer fires no later than this.
    private func watch(for deadline: MonotonicTime) {
        if let watched = timer?.deadline, watched <= deadline { return }
        timer?.move(to: deadline)
    }

    /// The timer is not moved with every answer, so it may have been for a batch that has one.
    private func timeIsOver() {
        guard isConnected else {
            return fail(.notSent(.cannotConnect(reason: "it took longer than the time for connecting")))
        }
        guard let earliest = exchanges[answered...].map(\.deadline).min() else { return }
        earliest <= .now ? fail(.unknown(.deadline)) : watch(for: earliest)
    }

    /// - Parameter error: for those whose batch has not been answered.
    private func fail(_ error: PostgresError) {
        guard handle != nil else { return }
        forgetDescriptor()
        handle = nil
        isConnected = false
        timer?.cancel()
        timer = nil
        connecting?.resume(returning: error)
        connecting = nil
        let left = exchanges[answered...]
        exchanges = []
        answered = 0
        for exchange in left {
            // A refusal that has come says that nothing has happened, whatever became of the connection then.
            exchange.continuation?.resume(returning: .failure(exchange.refusal ?? error))
        }
    }
}
