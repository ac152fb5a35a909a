import System
import Telemetry

/// What one caller waits for: commands that are one transaction, and that one Sync ends.
///
/// Without a BEGIN the server takes all commands up to a Sync as one transaction, which the Sync commits, and which it
/// rolls back after an error: so other callers' commands may stand right behind.
final class Batch {
    typealias Outcome = Result<[Rows], PostgresError>

    /// What is sent around the commands.
    enum Frame {
        case none
        /// The commands are a SERIALIZABLE transaction.
        case serializable
        /// Nothing: the commands belong to the transaction of a reservation, or begin or end it.
        case reserved(Reservation, Part)
    }

    /// Which part of its transaction a batch of a reservation is.
    enum Part { case begin, statements, end }

    let commands: [Command]
    let frame: Frame
    let deadline: MonotonicTime
    /// What has come so far.
    var rows: [Rows] = []
    /// What went wrong first.
    var failure: PostgresError?
    private var continuation: CheckedContinuation<Outcome, Never>?
    private let observers: Observers
    /// What its steps are a part of.
    private let scope: StepScope?
    /// The step that it is: a wait for a connection with room, then a commit.
    private var step: OpenStep?

    /// - Parameter observers: hear of its steps.
    init(
        _ commands: [Command], _ frame: Frame, deadline: MonotonicTime, observers: Observers,
        _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        (self.commands, self.frame, self.deadline, self.continuation) = (commands, frame, deadline, continuation)
        self.observers = observers
        scope = observers.tracer == nil ? nil : StepScope.current
        if needsConnection { step = observers.begin(.storeQueue, partOf: scope) }
    }

    /// Whether it waits for room on any connection, and not for that of its transaction.
    private var needsConnection: Bool { !isInTransaction }

    /// Whether it stands in a transaction that was begun before it.
    var isInTransaction: Bool {
        switch frame {
        case .none, .serializable, .reserved(_, .begin): false
        case .reserved(_, .statements), .reserved(_, .end): true
        }
    }

    /// Whether its end is a commit. One statement that reads has nothing to commit.
    private var isCommit: Bool {
        switch frame {
        case .none: commands.count > 1 || commands.first?.statement.isRead == false
        case .serializable: true
        case .reserved(_, .end): commands.last?.statement.name == Statement.commit.name
        case .reserved(_, .begin), .reserved(_, .statements): false
        }
    }

    /// Notes that it goes out on a connection.
    func noteSent() {
        step.take()?.end()
        if isCommit { step = observers.begin(.commit, partOf: scope) }
    }

    /// Tells the caller what has come of it.
    func finish() {
        end(failure.map { .failure($0) } ?? .success(rows))
    }

    func fail(_ error: PostgresError) { end(.failure(error)) }

    /// Whether its caller has not been told yet.
    var isAwaited: Bool { continuation != nil }

    private func end(_ outcome: Outcome) {
        switch outcome {
        case .success: step.take()?.end()
        case .failure(let error): step.take()?.end(.failed(StepName(error.name)))
        }
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}

/// The claim of one interactive transaction on a connection, which takes nobody else's commands meanwhile.
final class Reservation: Sendable {
    /// When the transaction is given up, whatever it waits for.
    let deadline: MonotonicTime

    init(deadline: MonotonicTime) {
        self.deadline = deadline
    }
}
