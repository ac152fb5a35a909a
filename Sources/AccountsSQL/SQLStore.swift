public import Accounts

/// A repository in a database that speaks SQL. What it does is written once, here, in transactions that an engine runs;
/// an engine has its own way only where that pays.
public protocol SQLStore: AccountRepository {
    /// What seals and opens the values of the store.
    var sealer: StoreSealer { get }
    /// The tables that it has.
    var tables: StoreTables { get }
    /// The secret keys as they were last read.
    var knownSecretKeys: SecretKeyCache { get }

    /// Does work in one transaction, as if nobody else did anything meanwhile. Returned means committed.
    ///
    /// - Parameters:
    ///   - key: what few at a time may do something with, so that they keep everybody else out of their way; nil where
    ///     nobody else wants the same.
    ///   - body: may be called several times, and must change nothing but what its statements change.
    ///   - settled: called before this returns, with the result if that is on disk, and with nil whenever the work was
    ///     tried and is undone.
    func write<Value: Sendable>(
        of key: TurnKey?, _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Value,
        settled: @escaping @Sendable (Value?) -> Void
    ) async throws(RepositoryError) -> Value

    /// The same for work that uses up what proves it, if that works once, and a challenge, if there is one. What `body`
    /// returns, a refusal too, keeps both used up, and all it did; what it throws undoes everything.
    ///
    /// - Parameter answer: what is kept of the answer with the use; `body` may change it (``KeptAnswerRows``).
    /// - Returns: refused with `.codeAlreadyUsed` or `.challengeAlreadyUsed`, without a call of `body`.
    func write<Outcome: Refusable>(
        of key: TurnKey?, consuming evidence: Evidence, _ challenge: OneTimeUse?, answer: KeptAnswer?, now: Int64,
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Outcome
    ) async throws(RepositoryError) -> Outcome

    /// Reads; each statement sees what was committed before it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value

    /// The same for those who may take their time, and keep nobody else waiting.
    func readAside<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value

    /// Called when somebody was erased.
    func noteErasure()
}

extension SQLStore {
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write(of: nil, body, settled: { _ in })
    }

    func write<Value: Sendable>(
        of key: TurnKey, _ body: @escaping @Sendable (any Connection) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write(of: key, body, settled: { _ in })
    }
}

/// What came of a write that may be refused.
public protocol Refusable: Sendable {
    static func refused(_ refusal: Refusal) -> Self
}

extension SignInOutcome: Refusable {}
extension LinkOutcome: Refusable {}
extension ReceiptOutcome: Refusable {}
