public import Accounts

/// How often what costs a provider a call, or tells something bit by bit, may be done for one user, over all instances;
/// nil: as often as one likes.
public struct UserBudgets: Sendable {
    /// Signing the user in by an access token of the provider's.
    public let exchanges: Budget?
    /// Giving a replaced refresh token its answer again.
    public let refreshRepeats: Budget?
    /// Comparing what somebody has typed with one attribute of the user's.
    public let attributeMatches: Budget?

    /// - Parameters:
    ///   - exchanges: how often in an hour.
    ///   - refreshRepeats: how often in an hour.
    ///   - attributeMatches: how often in a day, each attribute by itself.
    public init(exchanges: Int?, refreshRepeats: Int?, attributeMatches: Int?) {
        self.exchanges = exchanges.map { Budget("exchanges", limit: Int64($0), seconds: 3600) }
        self.refreshRepeats = refreshRepeats.map { Budget("refresh repeats", limit: Int64($0), seconds: 3600) }
        self.attributeMatches = attributeMatches.map {
            Budget("attribute matches", limit: Int64($0), seconds: 86_400)
        }
    }

    /// As an absent configuration has them.
    public static let standard = UserBudgets(
        exchanges: 60, refreshRepeats: 3600, attributeMatches: 5)
}

extension BudgetRepository {
    /// Takes one of what a user may do.
    ///
    /// - Parameter limit: what it is told to be to those who must wait.
    /// - Throws: `ServiceError.rateLimited`, `.storageUnavailable`.
    package func take(
        _ budget: Budget?, for key: String, as limit: AddressLimit, now: Int64
    ) async throws(ServiceError) {
        guard let budget else { return }
        let wait = try await stored { () throws(RepositoryError) in
            try await take(budget, for: Array(key.utf8), now: now)
        }
        if let wait { throw .rateLimited(limit, retryAfterSeconds: wait) }
    }
}
