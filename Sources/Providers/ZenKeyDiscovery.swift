internal import HTTPClient
internal import OpenIDConnect
import Syntax
import System

/// ZenKey's discovery: which carrier serves this network, asked of one discovery service for all carriers.
struct ZenKeyDiscovery {
    let discoveryURL: String
    let provider: Provider

    /// - Throws: `ProviderFailure.noCarrier`, or `.untrustedIssuer` when discovery names an issuer that the
    ///   configuration does not trust: then the carrier is not called.
    func metadata(
        for network: MobileNetwork?, through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async throws(ProviderFailure) -> ProviderMetadata {
        guard let network else { throw .noCarrier(discoveryUI: nil) }
        return try await provider.document(
            foundBy: .network(network.mccmnc), through: transport, deadline: deadline, now: now
        ) { () throws(ProviderFailure) in
            try url(asking: ("mccmnc", network.mccmnc))
        } objection: { [provider] in
            provider.trusts(issuer: $0.issuer) ? nil : .untrustedIssuer
        }
    }

    /// Where discovery is asked about our client.
    func url(asking parameter: (String, String)) throws(ProviderFailure) -> EndpointURL {
        let base: EndpointURL
        do {
            base = try EndpointURL(discoveryURL, allowLoopbackHTTP: provider.configuration.allowsLoopbackHTTP)
        } catch {
            throw .refusedEndpoint("discoveryURL")
        }
        return base.appending(query: [("client_id", provider.configuration.clientID), parameter])
    }
}
