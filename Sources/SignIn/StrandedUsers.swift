public import Accounts
public import Providers

/// Users who were stored under an issuer that the configuration has no place for any more.
public struct StrandedUsers: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// Their section has another issuer now. They would all get a second account, so this is a fault.
        case issuer(now: String)
        /// The section takes no tokens of that issuer any more: its tenants, or its trusted issuers, are fewer.
        case narrowed
        /// Their section is not there, and others have that issuer: they sign in there.
        case section(others: [String])
        /// Their section is not there, and no other one has that issuer.
        case removed
    }

    public let provider: String
    public let issuer: String
    public let count: Int
    public let reason: Reason

    /// - Parameter counts: of all identities.
    public static func of(_ counts: [IdentityCount], _ providers: [ProviderConfiguration]) -> [StrandedUsers] {
        counts.compactMap { count in
            reason(count, providers).map {
                StrandedUsers(provider: count.provider, issuer: count.issuer, count: count.count, reason: $0)
            }
        }
    }

    /// - Returns: nil for those who sign in as before.
    private static func reason(_ count: IdentityCount, _ providers: [ProviderConfiguration]) -> Reason? {
        let current = FormerIssuers(providers).current(Subject(issuer: count.issuer, value: "")).issuer
        let fitting = providers.filter { $0.mayIssue(as: current) }.map(\.name)
        guard let section = providers.first(where: { $0.name == count.provider }) else {
            return fitting.isEmpty ? .removed : .section(others: fitting)
        }
        guard fitting.isEmpty else { return nil }
        guard let names = section.issuerNames else { return .narrowed }
        // With any tenant let in, it would be one of its issuers.
        let isTenant = IssuerNames(names.configured, tenants: .any).stored(current) != nil
        return isTenant ? .narrowed : .issuer(now: names.configured)
    }
}
