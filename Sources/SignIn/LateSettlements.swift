internal import Accounts
internal import Synchronization

/// Tells the store what became of a code once it can be told again, where it could not before the answer: a request has
/// only so much time, and a claim that nobody ends keeps the app from posting its code again.
final class LateSettlements: Sendable {
    /// How many may wait for the store; beyond it a claim stays until the code is too old for anybody.
    private static let maximum = 4096
    /// Twice as long as a code is good for, at most.
    private static let tries = 120

    private let waiting = Atomic(0)
    private let pause: Duration

    init(pause: Duration = .seconds(10)) {
        self.pause = pause
    }

    /// How many wait.
    var count: Int { waiting.load(ordering: .relaxed) }

    /// Does it now or, where the store has no time for it, later.
    ///
    /// - Returns: whether it is done.
    func settle(_ work: @escaping @Sendable () async throws(RepositoryError) -> Void) async -> Bool {
        do throws(RepositoryError) {
            try await work()
            return true
        } catch {
            guard error.isWorthWaiting, waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximum else {
                if error.isWorthWaiting { waiting.wrappingSubtract(1, ordering: .relaxed) }
                return false
            }
        }
        // Of no request any more: it has a time of its own.
        Task.detached { [self] in
            defer { waiting.wrappingSubtract(1, ordering: .relaxed) }
            for _ in 0..<Self.tries {
                try? await Task.sleep(for: pause)
                do throws(RepositoryError) { return try await work() } catch {
                    guard error.isWorthWaiting else { return }
                }
            }
        }
        return false
    }
}

extension RepositoryError {
    fileprivate var isWorthWaiting: Bool {
        switch self {
        case .unavailable(.closed): false
        case .unavailable: true
        case .wrongMasterKey, .unstorableText, .notOpened: false
        }
    }
}
