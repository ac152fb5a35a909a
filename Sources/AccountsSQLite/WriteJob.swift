import Accounts
import AccountsSQL
import Telemetry

/// A write that waits for its turn. Exactly one of the last attempt's `finish` and `refuse` is called, exactly once;
/// every attempt before that is undone.
struct WriteJob: Sendable {
    /// The step that its wait for a group is; nil where nobody looks.
    let turn: SharedStep?
    /// Where it comes from, for the audit trail.
    let origin: AuditContext?
    /// Does the work, which may be for nothing.
    let attempt: @Sendable (SQLiteConnection) -> WriteAttempt
    /// Tells the caller that the work was not even tried.
    let refuse: @Sendable (RepositoryError) -> Void

    /// - Parameters:
    ///   - turn: has begun.
    ///   - origin: where it comes from; nil for what the service does by itself.
    ///   - body: the work.
    ///   - settled: called before the caller hears of it, with the result if that is on disk, and with nil whenever the
    ///     work was tried and is undone.
    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>, turn: SharedStep?,
        origin: AuditContext?,
        body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) {
        self.turn = turn
        self.origin = origin
        attempt = { connection in
            let result = Result { () throws(RepositoryError) in try body(connection) }
            return WriteAttempt(failure: result.failure, undo: { settled(nil) }) { groupFailure, unrecorded in
                // A refusal, too, may rest on what another write of the group did, which then never happened.
                if let failure = groupFailure ?? result.failure {
                    settled(nil)
                    continuation.resume(returning: .failure(unrecorded ?? failure))
                } else {
                    settled(try? result.get())
                    continuation.resume(returning: unrecorded.map(Result.failure) ?? result)
                }
            }
        }
        refuse = { continuation.resume(returning: .failure($0)) }
    }
}

/// A write that was tried and waits for the commit.
struct WriteAttempt {
    /// Why it has to be rolled back.
    let failure: RepositoryError?
    /// Tells what was done in memory for it that all of it is undone, and nothing to the caller: it is tried once more.
    let undo: () -> Void
    /// Whether it is told of in the ledger.
    var isRecorded = false
    /// What it has added to the audit trail, where somebody is told.
    var notedEvents: [NewAuditEvent] = []
    /// Tells the caller how it ended: as it did by itself, or with the failure of the whole group; or that it is done,
    /// but not in the ledger's file.
    let finish: (_ groupFailure: RepositoryError?, _ unrecorded: RepositoryError?) -> Void

    init(
        failure: RepositoryError?, undo: @escaping () -> Void,
        finish: @escaping (_ groupFailure: RepositoryError?, _ unrecorded: RepositoryError?) -> Void
    ) {
        (self.failure, self.undo, self.finish) = (failure, undo, finish)
    }
}

/// How writes came together since the store was opened.
struct GroupCounts: Equatable {
    /// How many groups were tried, each a commit.
    private(set) var groups = 0
    /// How many writes in all of them.
    private(set) var writes = 0
    /// How many in the largest.
    private(set) var largest = 0

    mutating func add(_ count: Int) {
        groups += 1
        writes += count
        largest = max(largest, count)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
