public import Accounts
public import Testing

/// What every repository must do, each clause a sentence. A repository's tests run them all:
///
/// ```swift
/// @Test(arguments: RepositoryContract.clauses)
/// func `keeps the contract`(_ clause: RepositoryContract) async throws {
///     try await clause.run(on: aFreshRepository)
/// }
/// ```
public struct RepositoryContract: Sendable, CustomTestStringConvertible {
    public static let clauses =
        signInClauses + crossClientClauses + browserClauses + consentClauses + profileClauses + migrationClauses
        + refreshClauses
        + sessionClauses
        + logoutClauses + eventClauses + pushClauses + ticketClauses
        + userClauses + identityClauses + sensitiveClauses + actClauses + challengeClauses + receiptClauses
        + operatorClauses
        + keyClauses
        + keepingClauses
        + provenanceClauses + contactClauses + raceClauses
        + userRaceClauses + grantClauses + outboxClauses + unlockKeyClauses + budgetClauses + directoryClauses
        + directoryJoinClauses
        + transferClauses + transferListClauses + sentAgainClauses + tableClauses + renamedClauses + textClauses
        + auditClauses + auditLoadClauses + lineClauses + returningClauses + overtakenClauses
        + mergeClauses + mergeRefusalClauses + mergeRaceClauses + ticketLinkClauses

    public let testDescription: String
    private let body: @Sendable (_ store: any AccountRepository, _ other: any AccountRepository) async throws -> Void

    init(_ sentence: String, _ body: @escaping @Sendable (any AccountRepository) async throws -> Void) {
        self.init(sentence) { store, _ in try await body(store) }
    }

    /// - Parameter body: what two do at once, each by a repository of its own where there are two.
    init(
        _ sentence: String,
        _ body: @escaping @Sendable (any AccountRepository, any AccountRepository) async throws -> Void
    ) {
        testDescription = sentence
        self.body = body
    }

    /// Runs the clause on a repository that is empty, that nobody else uses, and that was opened with
    /// ``TransparentSealer``.
    ///
    /// - Parameter other: another one with the same store; nil where the engine has one only.
    public func run(on repository: any AccountRepository, and other: (any AccountRepository)? = nil) async throws {
        try await body(repository, other ?? repository)
    }
}
