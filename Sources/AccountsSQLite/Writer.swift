import Accounts
import AccountsSQL
import Dispatch
import Synchronization
import System
import Telemetry

/// The one connection that writes.
///
/// Writes are grouped: what arrives while a commit is under way goes into the next one together, so that many callers
/// share the price of one sync to disk. A lone write goes at once. Writes that fail are rare, and a savepoint makes
/// SQLite copy every page that is changed: so a group is first tried as a whole, and only when one of it fails is all
/// of it undone and done again with a savepoint for each, so that the one takes nothing else with it. Callers resume
/// after the commit, and when the commit fails they all fail.
final class Writer: Sendable {
    private struct State {
        var waiting: [WriteJob] = []
        /// The group that is tried.
        var underWay: [WriteJob] = []
        /// When somebody looks whose time is over; nil where nobody does.
        var watchedUntil: MonotonicTime?
        var isRunning = false
        var isClosed = false
        /// Whether a write of the last group failed: then the next is done with savepoints at once.
        var hasFailures = false
        var counts = GroupCounts()
    }

    private static let begin = Query("BEGIN IMMEDIATE")
    private static let commit = Query("COMMIT")
    private static let unwritten = StepOutcome.failed("unavailable")
    private static let rollback = Query("ROLLBACK")
    private static let savepoint = Query("SAVEPOINT job")
    private static let release = Query("RELEASE job")
    private static let rollbackToSavepoint = Query("ROLLBACK TO job")

    /// Longer than others' short transactions: who comes now had better not begin what can't be undone.
    private static let longWait = Duration.milliseconds(100)

    private let state = Mutex(State())
    /// Since when the lock of the file is waited for, in nanoseconds; 0 while it is not.
    private let lockedSince = Atomic<Int64>(0)
    /// Whether the last group could not be committed.
    private let isFailing = Atomic(false)
    private let deadlines = DispatchQueue(label: "gatehouse.store.deadlines")
    private let busyTimeout: Duration
    private let requestTimeout: Duration?
    private let connections: ConnectionQueue
    /// Looks after the log when a group is committed.
    let log: LogKeeper
    let outcomes = StoreOutcomes()
    /// How many writes each commit was of. One group is committed at a time.
    let groupSizes = LoopHistogram(numbers: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    /// How often another process had the lock for longer than a statement waits.
    let lockedOut = LoopCount()
    /// Has what must never be undone in its file before anybody hears that it is done.
    let ledger: Ledger
    private let auditObserver: (any AuditObserver)?
    private let observers: Observers
    private let groupLimit: Int
    private let queueLimit: Int
    private let noticeForeignChange: @Sendable (SQLiteConnection) throws(RepositoryError) -> Void

    /// - Parameter noticeForeignChange: called inside a transaction, before its first write is tried, when another
    ///   connection may have written since the last one.
    init(
        _ settings: SQLiteSettings,
        noticeForeignChange: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Void
    ) {
        self.noticeForeignChange = noticeForeignChange
        connections = ConnectionQueue(label: "gatehouse.store.writer") { () throws(RepositoryError) in
            try SQLiteConnection.writer(settings)
        }
        log = LogKeeper(settings)
        ledger = Ledger(database: settings.path)
        auditObserver = settings.auditObserver
        observers = settings.observers
        busyTimeout = settings.busyTimeout
        requestTimeout = settings.requestTimeout
        groupLimit = max(1, settings.writeGroupLimit)
        queueLimit = settings.writeQueueLimit
    }

    /// How many writes wait for the commit under way.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// What was committed so far.
    var counts: GroupCounts { state.withLock { $0.counts } }

    /// Whether a write that comes now may well fail, or wait for long.
    var isHeldUp: Bool {
        if isFailing.load(ordering: .relaxed) { return true }
        let since = lockedSince.load(ordering: .relaxed)
        return since > 0 && .now - MonotonicTime(nanoseconds: since) > Self.longWait
    }

    /// Whether writes are refused because the store is closing.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Runs `body` in a transaction and returns when it is on disk: returned means committed, thrown means rolled back.
    ///
    /// - Parameters:
    ///   - body: the work; whatever it throws undoes it. For the sake of another it may be undone and done once more.
    ///   - settled: called before this returns, with the result if that is on disk, and with nil whenever the work was
    ///     tried and is undone. No work of another group is tried in between.
    /// - Throws: what `body` throws, or `.unavailable`.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void = { _ in }
    ) async throws(RepositoryError) -> Value {
        // Others whose turn it is on this executor come first, so that what they write goes along.
        await Task.yield()
        let time = StoreTime(request: requestTimeout, otherwise: busyTimeout)
        defer { time.note() }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>) in
            submit(
                WriteJob(
                    continuation, turn: observers.beginShared(.storeQueue), origin: AuditContext.current, time: time,
                    body: body, settled: settled))
        }
        return try result.get()
    }

    /// Does something on the connection that is no write of a caller: between two groups, outside of any transaction.
    func between<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>) in
            connections.async {
                continuation.resume(
                    returning: Result { () throws(RepositoryError) in try body(try self.connections.connect()) })
            }
        }
        return try result.get()
    }

    /// Finishes what waits, then lets the connection go.
    func close() async {
        state.withLock { $0.isClosed = true }
        await connections.close {
            while let group = self.nextGroup() { self.commit(group) }
        } end: { connection in
            self.log.close(&connection)
        }
    }

    private func submit(_ job: WriteJob) {
        var refusal: Unavailability?
        var isFirstToEnd = false
        let starts = state.withLock { state in
            if state.isClosed {
                refusal = .closed
            } else if state.waiting.count >= queueLimit {
                refusal = .overloaded
            } else if job.isOverdue(.now) {
                // What is left to be done behind an answer has no time of its request's any more.
                refusal = .locked
            } else {
                state.waiting.append(job)
                if job.time.isOfRequest, state.watchedUntil.map({ job.time.deadline < $0 }) ?? true {
                    (state.watchedUntil, isFirstToEnd) = (job.time.deadline, true)
                }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            return false
        }
        if let refusal {
            job.turn?.end(.failed(refusal == .closed ? "closed" : refusal == .locked ? "timed_out" : "overloaded"))
            return job.refuse(.unavailable(refusal))
        }
        if isFirstToEnd { watch(until: job.time.deadline) }
        if starts { connections.async { self.drain() } }
    }

    private func watch(until deadline: MonotonicTime) {
        let left = max(0, deadline.nanoseconds - MonotonicTime.now.nanoseconds)
        deadlines.asyncAfter(deadline: .now() + .nanoseconds(Int(left))) { self.expire() }
    }

    /// Answers requests whose time is over. Mostly there are none, and it looks again when the next one's would be.
    private func expire() {
        let now = MonotonicTime.now
        let (overdue, next) = state.withLock { state in
            var overdue = state.underWay.filter { $0.isOverdue(now) && $0.answer.isWaitedFor }
            if state.waiting.contains(where: { $0.isOverdue(now) }) {
                overdue += state.waiting.filter { $0.isOverdue(now) }
                state.waiting.removeAll { $0.isOverdue(now) }
            }
            let left = (state.waiting + state.underWay).lazy.filter { $0.time.isOfRequest && !$0.isOverdue(now) }
            let next = left.map(\.time.deadline).min()
            state.watchedUntil = next
            return (overdue, next)
        }
        for job in overdue {
            guard let reason = job.expire() else { continue }
            job.turn?.end(.failed("timed_out"))
            outcomes.note(.unavailable(reason))
        }
        if let next { watch(until: next) }
    }

    /// Commits one group. The next one is a block of its own on the queue, so that what else needs the connection finds
    /// its turn between two.
    private func drain() {
        guard let group = nextGroup() else { return }
        commit(group)
        // The answers are on their way, so nobody waits for this but who comes now.
        if let connection = connections.current { log.tidy(connection) }
        if hasMore() { connections.async { self.drain() } }
    }

    private func hasMore() -> Bool {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
    }

    private func nextGroup() -> [WriteJob]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            let group = Array(state.waiting.prefix(groupLimit))
            state.waiting.removeFirst(group.count)
            state.underWay = group
            // Before anybody is answered, so that who has an answer finds it counted.
            state.counts.add(group.count)
            return group
        }
    }

    private func commit(_ group: [WriteJob]) {
        for job in group { job.turn?.end() }
        var attempts: [WriteAttempt] = []
        attempts.reserveCapacity(group.count)
        var failure: RepositoryError?
        var unrecorded: RepositoryError?
        do throws(RepositoryError) {
            let connection = try connections.connect()
            do throws(RepositoryError) {
                try attempt(group, connection, &attempts)
                try commit(group, connection)
                connection.ownDataVersion = connection.dataVersion
                if connection.ledger.hasNews || ledger.isBehind.load(ordering: .relaxed) {
                    unrecorded = ledger.settle(connection)
                }
            } catch {
                // Rolling back can fail only when there is nothing left to roll back.
                if connection.isInTransaction { try? connection.run(Self.rollback) }
                throw error
            }
        } catch {
            failure = error
        }
        // A failed job of a group that went through may still be what tells of a broken file.
        for error in [failure] + attempts.map(\.failure) {
            if let error { connections.discard(after: error) }
        }
        state.withLock { $0.underWay = [] }
        if let failure {
            outcomes.note(failure)
        } else {
            outcomes.noteDone(attempts.count)
            groupSizes.add(Int64(attempts.count))
        }
        // Also of one that somebody has had the file locked for: the next caller had better try it first.
        isFailing.store(failure.map { $0.isOfStore || $0 == .unavailable(.locked) } ?? false, ordering: .relaxed)
        if failure == nil { tell(attempts) }
        for attempt in attempts { attempt.finish(failure, attempt.isRecorded ? unrecorded : nil) }
        if let failure { for job in group[attempts.count...] { job.refuse(failure) } }
    }

    private func commit(_ group: [WriteJob], _ connection: SQLiteConnection) throws(RepositoryError) {
        let scopes = observers.tracer == nil ? [] : group.compactMap { $0.turn?.parent }
        let step = observers.begin(.commit, partOfEach: scopes, unended: Self.unwritten)
        try connection.run(Self.commit)
        step.end(.done, .commit(writes: group.count))
    }

    /// Tells of what is on disk now.
    private func tell(_ attempts: [WriteAttempt]) {
        guard let auditObserver else { return }
        for attempt in attempts where attempt.failure == nil && !attempt.notedEvents.isEmpty {
            auditObserver.noted(attempt.notedEvents)
        }
    }

    /// Begins a transaction, however long another process has the lock, as long as anybody of the group waits.
    private func begin(_ connection: SQLiteConnection, for group: [WriteJob]) throws(RepositoryError) {
        lockedSince.store(MonotonicTime.now.nanoseconds, ordering: .relaxed)
        defer { lockedSince.store(0, ordering: .relaxed) }
        var isBegun = false
        while !isBegun {
            do throws(RepositoryError) {
                try connection.run(Self.begin)
                isBegun = true
            } catch .unavailable(.locked) where group.contains(where: { $0.isWaitedFor(.now) }) {
                // Somebody has it for longer than one statement waits.
                lockedOut.add()
            }
        }
        if connection.ownDataVersion != connection.dataVersion {
            try noticeForeignChange(connection)
            try log.noticeForeignChange(connection)
        }
    }

    /// Begins a transaction and does the work of each in it.
    private func attempt(
        _ group: [WriteJob], _ connection: SQLiteConnection, _ attempts: inout [WriteAttempt]
    ) throws(RepositoryError) {
        try begin(connection, for: group)
        if group.count == 1 || !state.withLock({ $0.hasFailures }) {
            attemptAtOnce(group, connection, &attempts)
            guard let failure = attempts.last?.failure else { return }
            if group.count == 1 { throw failure }
            for attempt in attempts { attempt.undo() }
            attempts = []
            // A full disk, for one, may have made SQLite roll it back by itself.
            if connection.isInTransaction { try connection.run(Self.rollback) }
            try begin(connection, for: group)
        }
        try attemptOneByOne(group, connection, &attempts)
        let hasFailures = attempts.contains { $0.failure != nil }
        state.withLock { $0.hasFailures = hasFailures }
    }

    /// Does the work of all, up to the first that fails.
    private func attemptAtOnce(_ group: [WriteJob], _ connection: SQLiteConnection, _ attempts: inout [WriteAttempt]) {
        for job in group {
            let attempt = attempted(job, connection)
            attempts.append(attempt)
            if attempt.failure != nil { return }
        }
    }

    /// Does the work of each inside a savepoint, and undoes what fails.
    private func attemptOneByOne(
        _ group: [WriteJob], _ connection: SQLiteConnection, _ attempts: inout [WriteAttempt]
    ) throws(RepositoryError) {
        for job in group {
            try connection.run(Self.savepoint)
            let attempt = attempted(job, connection)
            attempts.append(attempt)
            try settle(attempt.failure, connection)
        }
    }

    /// Does the work of one, and notes whether it has something for the ledger, and what it has for the audit trail.
    private func attempted(_ job: WriteJob, _ connection: SQLiteConnection) -> WriteAttempt {
        guard job.answer.begin() else { return .none }
        let hadNews = connection.ledger.hasNews
        connection.ledger.hasNews = false
        if auditObserver != nil { connection.notedEvents = [] }
        connection.auditContext = job.origin
        var attempt = job.attempt(connection)
        attempt.isRecorded = connection.ledger.hasNews
        if let events = connection.notedEvents { attempt.notedEvents = events }
        if hadNews { connection.ledger.hasNews = true }
        return attempt
    }

    /// Keeps what the last job did, or undoes it.
    private func settle(_ failure: RepositoryError?, _ connection: SQLiteConnection) throws(RepositoryError) {
        if let failure {
            // The whole transaction is gone, and with it the whole group.
            guard connection.isInTransaction else { throw failure }
            try connection.run(Self.rollbackToSavepoint)
        }
        try connection.run(Self.release)
    }
}
