internal import EventLoop
internal import HTTPClient
internal import OpenIDConnect

/// ZenKey's discovery: which carrier serves this network, asked of one discovery service for all carriers.
struct ZenKeyDiscovery {
    let discoveryURL: String
    let provider: Provider

    /// - Throws: `ProviderFailure.untrustedIssuer` when discovery names an issuer that the configuration does not trust:
    ///   then the carrier is not called.
    func metadata(
        for network: MobileNetwork?, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> DiscoveryResult {
        guard let network else { return .notFound(discoveryUI: nil) }
        let base: EndpointURL
        do {
            base = try EndpointURL(
                discoveryURL, allowLoopbackHTTP: provider.configuration.allowsLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("discoveryURL")
        }
        let url = base.appending(query: [
            ("client_id", provider.configuration.clientID), ("mccmnc", network.mccmnc),
        ])
        return try await provider.document(at: url, through: transport, deadline: deadline, now: now) { [provider] in
            provider.trusts(issuer: $0.issuer) ? nil : .untrustedIssuer
        }
    }
}
