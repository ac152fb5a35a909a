/// Receipts for what users have approved.
public protocol ReceiptRepository: Sendable {
    /// Stores the receipt of a transaction that was verified as in a sign-in.
    ///
    /// - Throws: `.codeAlreadyUsed`; and, each using up the code, `.challengeAlreadyUsed`, `.sessionGone` and
    ///   `.identityTooNew`.
    func storeReceipt(_ record: TransactionRecord) async throws(RepositoryError) -> ReceiptOutcome

    /// A user's receipts, the oldest first. They stay until the user is erased.
    func receipts(of user: UserID) async throws(RepositoryError) -> [Receipt]
}
