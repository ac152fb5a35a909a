internal import CPostgres
import System

/// The commands of many callers on one connection, in the order of sending, and the way of each result to its caller.
final class Pipeline {
    /// What the server is still to answer.
    private struct Step {
        enum Kind {
            case prepare(String)
            /// `isKept` is false for what was sent around the caller's commands.
            case command(Statement, isKept: Bool)
            case sync(isLast: Bool)
        }

        let kind: Kind
        let batch: Batch
    }

    private static let beginSerializable = Command(.beginSerializable)
    private static let commit = Command(.commit)
    private static let rollback = Command(.rollback)

    let handle: Handle
    /// Whether statements stay prepared. Once one that was is not there, or one that was not is, no more are: somebody
    /// in between gives each transaction another session.
    private var keepsStatements: Bool
    /// How many batches are under way.
    private(set) var batchCount = 0
    /// Whether something is wrong with the connection, beyond what a caller is told.
    private(set) var isBroken = false
    /// Whether a new connection would do better than this: the server takes no changes any more, and with another try
    /// the one that does may be found; or a prepared statement is of a schema that has changed.
    private(set) var isStale = false
    /// What the server has said as it ended the session.
    private var lastWord: SQLState?
    private var prepared: Set<String> = []
    // A slice gives up its first element without moving the others.
    private var steps: ArraySlice<Step> = []
    /// Whether the Sync that is awaited has brought an error, such as that of a deferred constraint.
    private var syncFailed = false

    /// - Parameter keepsStatements: see ``PoolLimits/keepsStatements``.
    init(_ handle: Handle, keepsStatements: Bool) {
        (self.handle, self.keepsStatements) = (handle, keepsStatements)
    }

    /// - Returns: empty for one that is prepared for one use.
    private func name(_ statement: Statement) -> String { keepsStatements ? statement.name : "" }

    /// Hands a batch to libpq.
    ///
    /// - Returns: false when libpq does not take it: then the connection is of no use any more.
    func send(_ batch: Batch) -> Bool {
        batchCount += 1
        guard prepare(batch) else { return false }
        guard case .serializable = batch.frame else {
            return batch.commands.allSatisfy { send($0, batch, isKept: true) } && sync(batch, isLast: true)
        }
        // After an error the server goes on at the Sync, still in the transaction, so one more command leaves that
        // before the next caller's. After a COMMIT it does nothing.
        return send(Self.beginSerializable, batch, isKept: false)
            && batch.commands.allSatisfy { send($0, batch, isKept: true) }
            && send(Self.commit, batch, isKept: false) && sync(batch, isLast: false)
            && send(Self.rollback, batch, isKept: false) && sync(batch, isLast: true)
    }

    /// Prepares what the connection has not yet seen. Each has a Sync of its own: others rely on it from now on,
    /// whatever this batch meets. It also ends the snapshot that the server takes for it, behind which no transaction
    /// can become serializable.
    private func prepare(_ batch: Batch) -> Bool {
        var commands = batch.commands
        if case .serializable = batch.frame { commands += [Self.beginSerializable, Self.commit, Self.rollback] }
        for statement in commands.lazy.map(\.statement) where !name(statement).isEmpty {
            guard prepared.insert(statement.name).inserted else { continue }
            steps.append(Step(kind: .prepare(statement.name), batch: batch))
            guard handle.prepare(statement, as: statement.name), sync(batch, isLast: false) else { return false }
        }
        return true
    }

    private func send(_ command: Command, _ batch: Batch, isKept: Bool) -> Bool {
        let name = name(command.statement)
        if name.isEmpty {
            guard handle.prepare(command.statement, as: "") else { return false }
            steps.append(Step(kind: .prepare(""), batch: batch))
        }
        steps.append(Step(kind: .command(command.statement, isKept: isKept), batch: batch))
        return handle.run(command, preparedAs: name)
    }

    private func sync(_ batch: Batch, isLast: Bool) -> Bool {
        steps.append(Step(kind: .sync(isLast: isLast), batch: batch))
        return handle.sync()
    }

    /// Gives each caller what has come for it. A caller is told only after its Sync, which is what commits.
    ///
    /// - Parameter finished: hears of each batch that is over.
    func receive(_ finished: (Batch) -> Void) {
        while let step = steps.first, !handle.isBusy {
            guard let result = handle.nextResult() else {
                endResults(of: step)
                if isBroken { return }
                continue
            }
            take(result, step)
            if isBroken { return }
            if case .sync(isLast: true) = step.kind, result.status == PGRES_PIPELINE_SYNC {
                batchCount -= 1
                step.batch.finish()
                finished(step.batch)
            }
        }
    }

    private func endResults(of step: Step) {
        guard case .sync = step.kind else {
            steps.removeFirst()
            return
        }
        // The Sync itself is still to come, unless nothing comes any more.
        if !syncFailed { isBroken = true }
        syncFailed = false
    }

    private func take(_ result: Rows, _ step: Step) {
        switch (result.status, step.kind) {
        case (PGRES_PIPELINE_SYNC, .sync):
            steps.removeFirst()
        case (PGRES_COMMAND_OK, .prepare):
            break
        case (PGRES_COMMAND_OK, .command(let statement, let isKept)),
            (PGRES_TUPLES_OK, .command(let statement, let isKept)):
            if isKept { step.batch.rows.append(result) }
            // The server rolls a transaction back that has met an error, and takes that for no error of COMMIT's.
            if statement.name == Statement.commit.name, result.tag != "COMMIT" {
                step.batch.failure = step.batch.failure ?? .transactionOver
            }
        case (PGRES_PIPELINE_ABORTED, .command), (PGRES_PIPELINE_ABORTED, .prepare):
            break
        case (PGRES_FATAL_ERROR, _):
            takeError(result, step)
        default:
            // Such as COPY, which nothing here can go on with.
            isBroken = true
        }
    }

    private func takeError(_ result: Rows, _ step: Step) {
        guard let state = result.state, !result.endsSession else {
            lastWord = result.state
            isBroken = true
            return
        }
        switch step.kind {
        // Somebody who had this session before has prepared the same text. Of a transaction it is the end all the same.
        case .prepare where state == .duplicateStatement:
            forgetStatements()
            if !step.batch.isInTransaction { return }
        // It is to be prepared with its next use.
        case .prepare(let name): prepared.remove(name)
        case .command(let statement, _) where state == .unknownStatement && prepared.contains(statement.name):
            forgetStatements()
        default: break
        }
        if case .sync = step.kind { syncFailed = true }
        if state == .readOnly || state == .other("0A000") { isStale = true }
        // After an error the server takes nothing but the transaction's end.
        let failure = state == .other("25P02") ? PostgresError.transactionOver : .refused(state)
        step.batch.failure = step.batch.failure ?? failure
    }

    /// Goes on without prepared statements, in sessions that are others' too.
    private func forgetStatements() {
        prepared = []
        keepsStatements = false
    }

    /// Whether a batch is to be given up now.
    func hasOverdue(_ now: MonotonicTime) -> Bool { steps.contains { $0.batch.deadline <= now && $0.batch.isAwaited } }

    /// The next time at which a batch is to be given up.
    var earliestDeadline: MonotonicTime? { steps.lazy.filter(\.batch.isAwaited).map(\.batch.deadline).min() }

    /// Tells those that their time is over whose is. What comes for them is for nobody.
    func expire(_ now: MonotonicTime) {
        for step in steps where step.batch.deadline <= now { step.batch.fail(.timedOut(.unknown)) }
    }

    /// Tells every caller that the connection is gone.
    ///
    /// - Parameter now: those whose deadline has passed by then are told that.
    func fail(_ now: MonotonicTime) {
        var batches: [Batch] = []
        for step in steps where batches.last !== step.batch { batches.append(step.batch) }
        steps = []
        batchCount = 0
        for (index, batch) in batches.enumerated() {
            // The server takes them in order, so it has never come to those behind the one that it answered with its
            // last word. That one may have been committed.
            let outcome: PostgresError.Outcome = lastWord != nil && index > 0 ? .notSent : .unknown
            batch.fail(batch.deadline <= now && lastWord == nil ? .timedOut(outcome) : .lost(outcome, lastWord))
        }
    }
}

extension Statement {
    static let begin = Statement("begin", "BEGIN")
    static let beginSerializable = Statement("begin_serializable", "BEGIN ISOLATION LEVEL SERIALIZABLE")
    static let commit = Statement("commit", "COMMIT")
    static let rollback = Statement("rollback", "ROLLBACK")
}
