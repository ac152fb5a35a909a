/// An app that moves to another developer team at Apple, where subjects are each team's own.
public struct TeamTransfer: Equatable, Sendable {
    /// The configured name of the provider.
    public var provider: String
    /// Under which the users' subjects are stored.
    public var issuer: String
    /// The team that the app moves to.
    public var team: String

    public init(provider: String, issuer: String, team: String) {
        (self.provider, self.issuer, self.team) = (provider, issuer, team)
    }
}

/// By what somebody will be known to be the one of a subject, once the app has moved.
public struct SubjectTransfer: Equatable, Sendable {
    /// At the team that the app leaves.
    public var subject: Subject
    /// Of the `transfer_sub`, which the ID tokens of the other team will show for a while.
    public var hash: TokenHash

    public init(subject: Subject, hash: TokenHash) {
        (self.subject, self.hash) = (subject, hash)
    }
}

/// What became of a ``SubjectTransfer``.
public enum TransferNote: Equatable, Sendable {
    /// It took the place of what was noted of the identity before.
    case noted
    /// No identity of the provider's has the subject, or none any more.
    case unknown
    /// It leads to another identity. Nothing is noted of this one now.
    case taken
}

/// How far a ``TeamTransfer`` is prepared.
public struct TransferCounts: Equatable, Sendable {
    /// How many identities the provider has at the issuer.
    public var identities: Int
    /// Of how many of them it is noted by what they will be known.
    public var noted: Int

    public init(identities: Int, noted: Int) {
        (self.identities, self.noted) = (identities, noted)
    }
}

/// Preparing for an app's move. The move itself is each user's next sign-in (``PersonKey/transfer(_:)``), which uses up
/// what is noted of the identity; else it goes with the identity.
public protocol SubjectTransferRepository: Sendable {
    /// Identities of which nothing is noted for the transfer, those that were made first coming first.
    ///
    /// - Parameters:
    ///   - after: the last one of the page before; nil for the first page.
    ///   - limit: how many at most.
    func identitiesToTransfer(
        _ transfer: TeamTransfer, after: IdentityID?, limit: Int
    ) async throws(RepositoryError) -> [TransferableIdentity]

    /// Notes by what users will be known, all in one transaction. What was noted of the same identities before, be it
    /// for another team, goes.
    ///
    /// - Parameter batch: each with a subject of the transfer's issuer.
    /// - Returns: what became of each, in their order.
    func noteTransfers(
        _ batch: [SubjectTransfer], of transfer: TeamTransfer
    ) async throws(RepositoryError) -> [TransferNote]

    func transferCounts(_ transfer: TeamTransfer) async throws(RepositoryError) -> TransferCounts
}

/// An identity whose subject will be another one.
public struct TransferableIdentity: Equatable, Sendable {
    public var id: IdentityID
    public var subject: Subject

    public init(id: IdentityID, subject: Subject) {
        (self.id, self.subject) = (id, subject)
    }
}
