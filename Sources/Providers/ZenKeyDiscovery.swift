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
        return try await provider.document(
            foundBy: network.mccmnc, through: transport, deadline: deadline, now: now
        ) { () throws(ProviderFailure) in
            try url(for: network)
        } objection: { [provider] in
            provider.trusts(issuer: $0.issuer) ? nil : .untrustedIssuer
        }
    }

    private func url(for network: MobileNetwork) throws(ProviderFailure) -> EndpointURL {
        let base: EndpointURL
        do {
            base = try EndpointURL(discoveryURL, allowLoopbackHTTP: provider.configuration.allowsLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("discoveryURL")
        }
        return base.appending(query: [
            ("client_id", provider.configuration.clientID), ("mccmnc", network.mccmnc),
        ])
    }
}
