internal import CPostgres
import EventLoop
import System

/// One place of a pool: a connection on its loop, and when it is gone, the next.
// Unchecked: touched on the loop's thread only: by the pool, which lives there, and by the loop's timers and sockets.
final class PostgresConnection: ReadinessHandler, @unchecked Sendable {
    private enum Phase {
        /// For the time of the next try.
        case waiting
        /// `isOverdue`: a name server takes longer than connecting may. Nothing else is tried meanwhile.
        case lookingUp(isOverdue: Bool)
        case connecting(Handle)
        /// Serves nobody yet but who decides whether it may.
        case greeting(Pipeline)
        case ready(Pipeline)
        case closed
    }

    private let loop: EventLoop
    private let string: ConnectionString
    private let durability: Durability
    private let limits: PoolLimits
    private let greeting: (any ConnectionGreeting)?
    private weak var pool: PostgresPool?
    private var phase = Phase.waiting
    /// What the loop waits for, and on which socket.
    private var watched: (socket: Int32, interest: Readiness)?
    private var backoff = Backoff()
    /// With which of the hosts to begin: one that says nothing, not even no, must not keep the others from being tried.
    private var firstHost = 0
    private(set) var holder: Reservation?
    /// How many connections were greeted so far.
    private var greetings = 0
    /// When the server last said anything.
    private var heardAt = MonotonicTime.now
    /// A server that says something as often as this is there, however long its line is.
    private static let silence = Duration.milliseconds(250)
    /// What is left of a caller's time for those that stand before it.
    private static let leastTime = Duration.milliseconds(50)
    /// What it is for depends on the phase.
    private(set) lazy var timer = loop.timer { [weak self] in self?.timerFired() }

    init(
        loop: EventLoop, string: ConnectionString, durability: Durability, limits: PoolLimits,
        greeting: (any ConnectionGreeting)?, pool: PostgresPool
    ) {
        (self.greeting, self.loop, self.string, self.durability) = (greeting, loop, string, durability)
        (self.limits, self.pool) = (limits, pool)
    }

    // MARK: For the pool

    /// Whether there may be a connection without a further try.
    var isUnderWay: Bool {
        switch phase {
        case .ready, .greeting, .connecting, .lookingUp(isOverdue: false): true
        case .waiting, .lookingUp, .closed: false
        }
    }

    /// Whether there is a connection, as far as anybody knows.
    var isReady: Bool { if case .ready = phase { true } else { false } }

    /// How many callers it serves; nil when it can serve no other.
    var load: Int? {
        guard case .ready(let pipeline) = phase, holder == nil, !pipeline.isStale,
            pipeline.batchCount < limits.callersPerConnection
        else { return nil }
        return pipeline.batchCount
    }

    /// What serves callers, or who decides whether it may.
    private var pipeline: Pipeline? {
        switch phase {
        case .ready(let pipeline), .greeting(let pipeline): pipeline
        case .waiting, .lookingUp, .connecting, .closed: nil
        }
    }

    /// Sends a batch. Call it when there is room for it, for who holds the connection, or while it is greeted.
    func send(_ batch: Batch) {
        guard let pipeline else { return batch.fail(.lost(.notSent, nil)) }
        if pipeline.batchCount > 0, batch.deadline - .now < Self.leastTime, !batch.isInTransaction {
            return batch.fail(.timedOut(.notSent))
        }
        batch.noteSent()
        var deadline = batch.deadline
        if case .reserved(let reservation, .begin) = batch.frame {
            holder = reservation
            deadline = min(deadline, reservation.deadline)
        }
        guard pipeline.send(batch), flush(pipeline) else { return lose(pipeline) }
        if timer.deadline.map({ deadline < $0 }) ?? true { timer.move(to: deadline) }
    }

    /// Has another one come in its place. What is under way may or may not be carried out.
    func renew() {
        if let pipeline { lose(pipeline) }
    }

    /// Ends it for good.
    func close() {
        if let pipeline { lose(pipeline) }
        unwatch()
        timer.cancel()
        phase = .closed
    }

    // MARK: Connecting

    func connect() {
        guard case .waiting = phase else { return }
        phase = .lookingUp(isOverdue: false)
        timer.move(to: .now + limits.connectTimeout)
        Task(executorPreference: loop) { [string, weak self] in
            let hosts = await ServerHost.lookUp(string.hosts)
            self?.connect(to: hosts)
        }
    }

    private func connect(to hosts: [ServerHost]) {
        precondition(loop.isCurrent, "a connection is used on the thread of its loop only")
        guard case .lookingUp = phase else { return }
        guard !hosts.isEmpty else { return fail(.nameNotFound) }
        let first = firstHost % hosts.count
        let parameters = string.parameters(
            hosts: Array(hosts[first...] + hosts[..<first]),
            settings: durability.sessionSettings + limits.sessionSettings)
        guard let handle = Handle(parameters) else { return fail(.unreachable) }
        guard !handle.isBad else { return fail(handle.connectFailure) }
        phase = .connecting(handle)
        timer.move(to: .now + limits.connectTimeout)
        // libpq wants to be asked first when it can write.
        if !watch(handle, for: .writable) { fail(.unreachable) }
    }

    private func goOn(_ handle: Handle) {
        // libpq may close this socket now, and open one of the same number.
        unwatch()
        switch handle.poll() {
        case PGRES_POLLING_READING: if !watch(handle, for: .readable) { fail(.unreachable) }
        case PGRES_POLLING_WRITING: if !watch(handle, for: .writable) { fail(.unreachable) }
        case PGRES_POLLING_OK: becomeReady(handle)
        default: fail(handle.connectFailure)
        }
    }

    private func becomeReady(_ handle: Handle) {
        guard handle.enterPipeline(), watch(handle, for: .readable) else { return fail(.unreachable) }
        let pipeline = Pipeline(handle, keepsStatements: limits.keepsStatements)
        timer.move(to: nil)
        guard let greeting, let pool else { return begin(pipeline) }
        phase = .greeting(pipeline)
        greetings += 1
        Task(executorPreference: loop) { [self, greetings] in
            let outcome = await greeting.greet(GreetedSession(pool: pool, connection: self))
            finishGreeting(greetings, outcome)
        }
    }

    private func finishGreeting(_ number: Int, _ outcome: Greeting) {
        precondition(loop.isCurrent, "a connection is used on the thread of its loop only")
        // It may have ended meanwhile, and another one be here.
        guard case .greeting(let pipeline) = phase, number == greetings else { return }
        let failure: ConnectFailure
        switch outcome {
        case .admitted: return begin(pipeline)
        case .refused: failure = .notAdmitted
        case .failed: failure = .unreachable
        }
        firstHost += 1
        lose(pipeline)
        pool?.assumeOnLoop(failure) { $0.connectingFailed($1) }
    }

    private func begin(_ pipeline: Pipeline) {
        phase = .ready(pipeline)
        backoff.reset()
        pool?.assumeOnLoop(()) { pool, _ in pool.serveWaiting() }
    }

    private func fail(_ failure: ConnectFailure) {
        retryLater()
        pool?.assumeOnLoop(failure) { $0.connectingFailed($1) }
    }

    private func retryLater() {
        unwatch()
        phase = .waiting
        timer.move(to: .now + backoff.next(chance: .random(in: 0..<1)))
    }

    // MARK: Serving

    func descriptorIsReady(_ readiness: Readiness) {
        switch phase {
        case .connecting(let handle): goOn(handle)
        case .ready(let pipeline), .greeting(let pipeline): serve(pipeline, readiness)
        case .waiting, .lookingUp, .closed: break
        }
    }

    private func serve(_ pipeline: Pipeline, _ readiness: Readiness) {
        if readiness != .writable { heardAt = .now }
        // Also what comes with the end is looked at: it may be results, and the server's reason.
        let isOpen = readiness == .writable || pipeline.handle.consume()
        var leftTransaction = true
        pipeline.receive { batch in leftTransaction = self.release(batch, pipeline) && leftTransaction }
        let isOver = pipeline.isStale && pipeline.batchCount == 0 && holder == nil
        guard isOpen, leftTransaction, !pipeline.isBroken, !isOver, flush(pipeline) else { return lose(pipeline) }
        if case .ready = phase { pool?.assumeOnLoop(()) { pool, _ in pool.serveWaiting() } }
    }

    /// Gives the connection back after a transaction.
    ///
    /// - Returns: false when it would be given on inside of a transaction.
    private func release(_ batch: Batch, _ pipeline: Pipeline) -> Bool {
        if case .reserved(let reservation, let part) = batch.frame, reservation === holder {
            if part == .statements || part == .begin && batch.failure == nil { return true }
            holder = nil
        }
        return holder != nil || !pipeline.handle.isInTransaction
    }

    private func flush(_ pipeline: Pipeline) -> Bool {
        switch pipeline.handle.flush() {
        case .all: watch(pipeline.handle, for: .readable)
        case .some: watch(pipeline.handle, for: [.readable, .writable])
        case .failed: false
        }
    }

    private func lose(_ pipeline: Pipeline) {
        holder = nil
        // Before its callers are told, so that a caller that comes back finds it as it is.
        retryLater()
        pool?.assumeOnLoop(()) { pool, _ in pool.connectionLost() }
        pipeline.fail(.now)
    }

    // MARK: Time

    private func timerFired() {
        switch phase {
        case .waiting: connect()
        case .lookingUp:
            phase = .lookingUp(isOverdue: true)
            pool?.assumeOnLoop(.timedOut) { $0.connectingFailed($1) }
        case .connecting:
            firstHost += 1
            fail(.timedOut)
        case .ready(let pipeline), .greeting(let pipeline): expire(pipeline)
        case .closed: break
        }
    }

    private func expire(_ pipeline: Pipeline) {
        let now = MonotonicTime.now
        let isHeldTooLong = holder.map { $0.deadline <= now } ?? false
        // Only where others are answered meanwhile: of a transaction's own connection it is the end.
        if !isHeldTooLong, holder == nil, now - heardAt < Self.silence { pipeline.expire(now) }
        guard isHeldTooLong || pipeline.hasOverdue(now) else {
            return timer.move(to: [pipeline.earliestDeadline, holder?.deadline].compactMap(\.self).min())
        }
        // Nothing is cancelled: a commit that waits for a standby would be done by that, and seen, without the standby.
        lose(pipeline)
    }

    // MARK: The socket

    private func watch(_ handle: Handle, for interest: Readiness) -> Bool {
        do throws(SystemError) {
            if let watched {
                if watched.interest == interest { return true }
                try loop.update(watched.socket, for: interest)
                self.watched?.interest = interest
            } else {
                let socket = handle.socket
                guard socket >= 0 else { return false }
                try loop.register(socket, for: interest, handler: self)
                watched = (socket, interest)
            }
            return true
        } catch {
            return false
        }
    }

    private func unwatch() {
        guard let watched else { return }
        loop.deregister(watched.socket)
        self.watched = nil
    }
}
