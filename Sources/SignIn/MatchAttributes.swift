public import Accounts
internal import System

/// Whether what somebody has typed is what a provider has said of the signed-in user, without telling what that is.
///
/// A guesser gets so many tries at each attribute a day, whatever comes of them, in all sessions and at all instances
/// together: a try is taken before anything is compared.
public struct MatchAttributes: Sendable {
    let repository: any UserRepository & BudgetRepository & OperatorRepository
    /// How often for one attribute of one user; nil: as often as one likes.
    let budget: Budget?
    let clock: Clock

    /// - Parameter typed: by attribute; each without ``MatchedAttribute/fault(of:)``.
    /// - Returns: what comes of each, in that order.
    /// - Throws: `ServiceError.rateLimited` where one of them has no try left today: then nothing is compared, and the
    ///   tries that were taken for those before it are gone; `.invalidToken`, `.storageUnavailable`.
    public func match(
        _ typed: [(attribute: MatchedAttribute, value: String)], under session: Session
    ) async throws(ServiceError) -> [(attribute: MatchedAttribute, outcome: MatchedAttribute.Outcome)] {
        let now = clock.seconds
        for (attribute, _) in typed {
            try await repository.take(
                budget, for: "\(session.user.rawValue) \(attribute.rawValue)", as: .attributeMatches, now: now)
        }
        let user = try await stored { () throws(RepositoryError) in
            try await repository.note(
                .attributesMatched, of: session.user, typed.map(\.attribute.rawValue), now: now)
            return try await repository.user(session.user)
        }
        guard let user else { throw .invalidToken }
        return typed.map { ($0.attribute, user.profile.match($0.attribute, $0.value)) }
    }
}
