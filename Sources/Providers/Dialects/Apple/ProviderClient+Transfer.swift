internal import HTTPClient
internal import Syntax

/// What the team that an app leaves asks Apple, before the app moves.
extension ProviderClient {
    /// Fetches the token that the other question takes. It is good for an hour.
    ///
    /// - Parameter now: seconds since 1970.
    public func migrationToken(
        at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> MigrationToken {
        try await ask(MigrationTokenRequest(), at: tokenEndpoint(of: issuer), of: issuer, .transfer, now: now) {
            answer throws(ProviderCallError) in try MigrationToken(answer)
        }
    }

    /// Asks by what a user will be known.
    ///
    /// - Parameter now: seconds since 1970.
    public func transferSubject(
        _ asked: UserMigrationRequest, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> TransferSubject {
        let tokenEndpoint = try tokenEndpoint(of: issuer)
        let endpoint: EndpointURL
        do throws(ProviderCallError) {
            endpoint = try UserMigrationRequest.endpoint(beside: tokenEndpoint)
        } catch {
            throw noted(.transfer, error, host: tokenEndpoint.host)
        }
        return try await ask(asked, at: endpoint, of: issuer, .transfer, now: now) {
            answer throws(ProviderCallError) in try TransferSubject(answer)
        }
    }
}
