import Accounts
import AccountsSQL
import Synchronization
import System
import Telemetry

/// A write that waits for its turn. Its caller is answered once: by the last attempt's `finish`, by `refuse`, or, when
/// its time is over first, by `expire`; every attempt before that is undone.
struct WriteJob: Sendable {
    /// The step that its wait for a group is; nil where nobody looks.
    let turn: SharedStep?
    /// Where it comes from, for the audit trail.
    let origin: AuditContext?
    let time: StoreTime
    let answer: WriteAnswer
    /// Does the work, which may be for nothing.
    let attempt: @Sendable (SQLiteConnection) -> WriteAttempt
    /// Tells the caller, if its time is over, that it is: what has not been tried will not be.
    ///
    /// - Returns: what it was told; nil where it has been answered before.
    let expire: @Sendable () -> Unavailability?
    /// Tells the caller that the work was not even tried.
    let refuse: @Sendable (RepositoryError) -> Void

    /// - Parameters:
    ///   - turn: has begun.
    ///   - origin: where it comes from; nil for what the service does by itself.
    ///   - time: when the caller is answered at the latest, if it is of a request; and how long another process's lock
    ///     is waited for.
    ///   - body: the work.
    ///   - settled: called before the caller hears of it, with the result if that is on disk, and with nil whenever the
    ///     work was tried and is undone.
    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Result<Value, RepositoryError>, Never>, turn: SharedStep?,
        origin: AuditContext?, time: StoreTime,
        body: @escaping @Sendable (SQLiteConnection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) {
        (self.turn, self.origin, self.time) = (turn, origin, time)
        let answer = WriteAnswer()
        self.answer = answer
        attempt = { connection in
            let result = Result { () throws(RepositoryError) in try body(connection) }
            return WriteAttempt(failure: result.failure, undo: { settled(nil) }) { groupFailure, unrecorded in
                let outcome: Result<Value, RepositoryError>
                // A refusal, too, may rest on what another write of the group did, which then never happened.
                if let failure = groupFailure ?? result.failure {
                    settled(nil)
                    outcome = .failure(unrecorded ?? failure)
                } else {
                    settled(try? result.get())
                    outcome = unrecorded.map(Result.failure) ?? result
                }
                if answer.give() { continuation.resume(returning: outcome) }
            }
        }
        expire = {
            let reason = answer.expire()
            if let reason { continuation.resume(returning: .failure(.unavailable(reason))) }
            return reason
        }
        refuse = { if answer.give() { continuation.resume(returning: .failure($0)) } }
    }

}

extension WriteJob {
    /// Whether its request's time is over.
    func isOverdue(_ now: MonotonicTime) -> Bool { time.isOfRequest && time.deadline <= now }

    /// Whether it is worth waiting for what others have locked.
    func isWaitedFor(_ now: MonotonicTime) -> Bool { time.deadline > now && answer.isWaitedFor }
}

/// What becomes of a write's answer, which the writer and the clock may both want to give.
final class WriteAnswer: Sendable {
    private enum State: UInt8, AtomicRepresentable { case waiting, tried, given }

    private let state = Atomic(State.waiting)

    /// Notes that the work is tried.
    ///
    /// - Returns: false where the caller has been answered: then it must not be.
    func begin() -> Bool {
        state.compareExchange(expected: .waiting, desired: .tried, ordering: .acquiringAndReleasing).original != .given
    }

    /// Whether somebody still waits for it.
    var isWaitedFor: Bool { state.load(ordering: .acquiring) != .given }

    /// Gives the answer that the time is over: nothing has happened, or nobody knows yet.
    func expire() -> Unavailability? {
        if state.compareExchange(expected: .waiting, desired: .given, ordering: .acquiringAndReleasing).exchanged {
            return .locked
        }
        return state.compareExchange(expected: .tried, desired: .given, ordering: .acquiringAndReleasing).exchanged
            ? .uncertain : nil
    }

    /// - Returns: whether it is for who asks to give it.
    func give() -> Bool { state.exchange(.given, ordering: .acquiringAndReleasing) != .given }
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

    /// Of a write that nobody waits for any more.
    static var none: WriteAttempt { WriteAttempt(failure: nil, undo: {}, finish: { _, _ in }) }

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
