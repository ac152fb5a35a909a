public import EventLoop
import Synchronization
public import System
public import Telemetry

/// A few connections to a server, on one event loop, and the callers that share them.
///
/// A caller's statements go out at once, behind those of others, on the connection with the fewest callers. A caller
/// that no connection has room for waits, and so does one that comes while there is no connection, until the present
/// tries to connect have failed. When a caller's task is cancelled its statement still comes to its end: what it has
/// done is to be known.
public actor PostgresPool: LoopBound {
    public nonisolated let loop: EventLoop
    private let string: ConnectionString
    private let durability: Durability
    private let limits: PoolLimits
    private let observers: Observers
    private let greeting: (any ConnectionGreeting)?
    private(set) var connections: [PostgresConnection] = []
    private var waiting: [Batch] = [] {
        didSet { line.store(waiting.count, ordering: .relaxed) }
    }
    /// How many wait, for who looks without a visit to the loop.
    private nonisolated let line = Atomic(0)
    private nonisolated let admissions = Mutex(Admissions())
    /// For those who wait to be admitted.
    private lazy var admissionTimer = loop.timer { [weak self] in self?.assumeOnLoop(()) { pool, _ in pool.admitNext() }
    }
    private var isClosed = false
    /// Since when there is no connection, and why; nil while there is one, or before the first.
    private var outage: (since: MonotonicTime, failure: ConnectFailure)?
    /// For the deadlines of those that wait here; those under way are the connections' concern.
    private(set) lazy var timer = loop.timer { [weak self] in self?.assumeOnLoop(()) { pool, _ in pool.expireWaiting() }
    }

    /// Nothing is connected before the first statement.
    ///
    /// - Parameters:
    ///   - loop: must run until ``close()`` has returned.
    ///   - greeting: decides of each connection whether it may serve; nil where any may.
    ///   - observers: hear of each wait for a connection, and of each commit: that of a transaction, or of commands
    ///     that are one by themselves, unless they are one that reads.
    public init(
        loop: EventLoop, string: ConnectionString, durability: Durability = .durable,
        limits: PoolLimits = PoolLimits(), greeting: (any ConnectionGreeting)? = nil, observers: Observers = .none
    ) {
        (self.greeting, self.loop, self.string, self.durability) = (greeting, loop, string, durability)
        (self.limits, self.observers) = (limits, observers)
    }

    isolated deinit { close() }

    /// How many connections serve, and how many are not as far yet.
    public var connectionCounts: (serving: Int, connecting: Int) {
        let serving = connections.count(where: \.isReady)
        return (serving, connections.count - serving)
    }

    /// Runs one statement, which is a transaction of its own.
    ///
    /// - Parameter timeout: from here to the result, all waiting included.
    public func query(
        _ statement: Statement, _ values: Value..., timeout: Duration
    ) async throws(PostgresError) -> Rows {
        try await only(run([Command(statement, values)], .none, deadline: .now + timeout))
    }

    /// Runs commands as one transaction that goes out, and comes back, in one piece.
    ///
    /// - Returns: what each of them has given back.
    public func run(
        _ commands: [Command], isolation: Isolation = .readCommitted, timeout: Duration
    ) async throws(PostgresError) -> [Rows] {
        try await run(commands, isolation == .serializable ? .serializable : .none, deadline: .now + timeout)
    }

    /// The same, each command a transaction by itself where there is one.
    ///
    /// - Parameter deadline: of the result, all waiting included.
    public func run(_ commands: [Command], until deadline: MonotonicTime) async throws(PostgresError) -> [Rows] {
        try await run(commands, .none, deadline: deadline)
    }

    /// Whether a caller may begin at once, as nearly everybody may: this takes no visit to the loop. Otherwise
    /// ``admit()`` waits.
    public nonisolated func admitsAtOnce() -> Bool {
        guard limits.longestAdmission != nil else { return true }
        let line = line.load(ordering: .relaxed)
        return admissions.withLock { $0.admits(line: line, now: .now) }
    }

    /// Waits at the door while those who have begun wait for connections. A caller with something to do that can't be
    /// undone, and that needs the server for its end, had better not begin then.
    ///
    /// - Throws: `.overloaded` where it takes too long (``PoolLimits/longestAdmission``), or too many wait there.
    public func admit() async throws(PostgresError) {
        guard let longest = limits.longestAdmission, !isClosed, !admitsAtOnce() else { return }
        guard admissions.withLock(\.applicants.count) < limits.waitingCallers else { throw .overloaded }
        let now = MonotonicTime.now
        if admissionTimer.deadline == nil { admissionTimer.move(to: now + Admissions.window) }
        let refusal = await withCheckedContinuation { continuation in
            admissions.withLock { admissions in
                let end = now + admissions.patience(atMost: longest)
                admissions.wait(Admissions.Applicant(continuation: continuation, end: end))
            }
        }
        if let refusal { throw refusal }
        // A caller that has gone meanwhile wants nothing begun any more: in a crowd that loses patience those are many.
        if Task.isCancelled { throw .overloaded }
    }

    private func admitNext() {
        let now = MonotonicTime.now
        let (admitted, refused, isEmpty) = admissions.withLock { admissions in
            let (admitted, refused) = admissions.next(line: waiting.count, now: now)
            return (admitted, refused, admissions.applicants.isEmpty)
        }
        admissionTimer.move(to: isEmpty ? nil : now + Admissions.window)
        for applicant in refused { applicant.continuation.resume(returning: .overloaded) }
        for applicant in admitted { applicant.continuation.resume(returning: nil) }
    }

    /// Waits, for who will try again what others were in the way of.
    public func rest(_ pause: Duration) async {
        await withCheckedContinuation { continuation in
            loop.schedule(after: pause) { continuation.resume() }
        }
    }

    /// Has other connections come in the place of all. What is under way may or may not be carried out.
    public func renew() {
        for connection in connections { connection.renew() }
    }

    /// Ends every connection, and refuses whatever comes later. What is under way may or may not be carried out.
    public func close() {
        isClosed = true
        for connection in connections { connection.close() }
        connections.removeAll()
        for batch in takeWaiting() { batch.fail(.closed) }
        for applicant in admissions.withLock({ $0.removeAll() }) { applicant.continuation.resume(returning: .closed) }
        timer.cancel()
        admissionTimer.cancel()
    }

    // MARK: For transactions

    func run(_ commands: [Command], _ frame: Batch.Frame, deadline: MonotonicTime) async throws(PostgresError) -> [Rows]
    {
        guard commands.allSatisfy(\.isWellFormed) else { throw .wrongParameters }
        return try await withCheckedContinuation { continuation in
            submit(Batch(commands, frame, deadline: deadline, observers: observers, continuation))
        }.get()
    }

    /// The same on one connection, which is greeted.
    func run(
        _ commands: [Command], on connection: PostgresConnection, deadline: MonotonicTime
    ) async throws(PostgresError) -> [Rows] {
        try await withCheckedContinuation { continuation in
            connection.send(Batch(commands, .none, deadline: deadline, observers: .none, continuation))
        }.get()
    }

    func only(_ rows: [Rows]) throws(PostgresError) -> Rows {
        guard let first = rows.first, rows.count == 1 else { throw .unexpectedResult }
        return first
    }

    // MARK: For connections

    /// Sends what waits, as far as there is room. A connection that has something to say is one that there is.
    func serveWaiting() {
        outage = nil
        while !waiting.isEmpty, let connection = leastLoaded { connection.send(waiting.removeFirst()) }
    }

    /// Tells those who wait that there is no connection, once none is left that may come to be.
    func connectingFailed(_ failure: ConnectFailure) {
        noteOutage(failure)
        guard !connections.contains(where: \.isUnderWay) else { return }
        for batch in takeWaiting() { batch.fail(lastWord(failure)) }
    }

    /// Hears that a connection has gone, which may have been the last.
    func connectionLost() { noteOutage(.unreachable) }

    private func noteOutage(_ failure: ConnectFailure) {
        guard !connections.contains(where: \.isReady) else { return }
        outage = (outage?.since ?? .now, failure)
    }

    /// What those are told who wait for a connection that there is not.
    private func lastWord(_ failure: ConnectFailure) -> PostgresError {
        guard let patience = limits.outagePatience, let outage, outage.since + patience <= .now else {
            return .notConnected(failure)
        }
        return .away(failure)
    }

    private func submit(_ batch: Batch) {
        guard !isClosed else { return batch.fail(.closed) }
        guard batch.deadline > .now else { return batch.fail(.timedOut(.notSent)) }
        if case .reserved(let reservation, let part) = batch.frame, part != .begin {
            guard let connection = connections.first(where: { $0.holder === reservation }) else {
                return batch.fail(.transactionOver)
            }
            return connection.send(batch)
        }
        if let outage, case .away(let failure) = lastWord(outage.failure) { return batch.fail(.away(failure)) }
        if connections.isEmpty { connect() }
        if waiting.isEmpty, let connection = leastLoaded { return connection.send(batch) }
        guard waiting.count < limits.waitingCallers else { return batch.fail(.overloaded) }
        waiting.append(batch)
        if timer.deadline.map({ batch.deadline < $0 }) ?? true { timer.move(to: batch.deadline) }
    }

    private func connect() {
        for _ in 0..<max(1, limits.connections) {
            let connection = PostgresConnection(
                loop: loop, string: string, durability: durability, limits: limits, greeting: greeting, pool: self)
            connections.append(connection)
            connection.connect()
        }
    }

    private var leastLoaded: PostgresConnection? {
        var best: (connection: PostgresConnection, load: Int)?
        for connection in connections {
            guard let load = connection.load, load < best?.load ?? .max else { continue }
            best = (connection, load)
        }
        return best?.connection
    }

    private func takeWaiting() -> [Batch] {
        defer { waiting = [] }
        return waiting
    }

    private func expireWaiting() {
        let now = MonotonicTime.now
        for batch in waiting where batch.deadline <= now { batch.fail(.timedOut(.notSent)) }
        waiting.removeAll { $0.deadline <= now }
        timer.move(to: waiting.lazy.map(\.deadline).min())
    }
}
