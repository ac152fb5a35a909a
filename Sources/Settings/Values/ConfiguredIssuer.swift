internal import Providers
internal import Syntax

/// The issuer of a provider as an operator writes it: its URL, or a template of its tenants' URLs.
struct ConfiguredIssuer: Sendable, Equatable {
    /// To the letter, as tokens have it.
    let text: String
    /// Where it lies, whichever the tenant.
    let address: EndpointURL
    /// Whether there is one for each tenant.
    let hasTenants: Bool

    private static let anyTenant = "00000000-0000-0000-0000-000000000000"

    /// - Returns: nil for what is no issuer (OpenID Connect Discovery §3): a URL without a query.
    init?(_ text: String) {
        let filledIn = text.replacing(IssuerNames.tenantPlaceholder, with: Self.anyTenant, maxReplacements: 1)
        guard let address = try? EndpointURL(configured: filledIn), !address.hasQuery else { return nil }
        (self.text, self.address) = (text, address)
        hasTenants = filledIn != text
    }
}

/// A client identifier of ours beside the section's own, and how its SDK treats the nonce.
struct FurtherAudience: Sendable, Equatable {
    let clientID: String
    /// Nil: as the section has it.
    let nonceForm: NonceForm?
}
