internal import OpenIDConnect
internal import Providers

/// What an ID token must show, by what it is asked for.
struct IDTokenDemands: Sendable {
    let nonce: IDTokenVerifier.ExpectedNonce
    let authentication: [RequiredAuthentication]
    let context: IDTokenVerifier.ExpectedContext
    let freshness: IDTokenVerifier.Freshness

    /// For a sign-in, or for one more identity: what the app told of its request, and the provider's own minimum.
    static func signIn(_ response: AuthorizedResponse, with provider: Provider) -> IDTokenDemands {
        IDTokenDemands(
            nonce: response.nonce.map { .exactly($0) } ?? .unknownToUs,
            authentication: [
                provider.configuration.minimumACR, response.acrValues.flatMap(RequiredAuthentication.init(values:)),
            ].compactMap(\.self),
            context: response.context.map { .exactlyOrCut($0) } ?? .anything, freshness: .anyAge)
    }

    /// For the approval of one transaction: that very text, that very request, just now.
    static func transaction(_ request: TransactionRequest, with provider: Provider) -> IDTokenDemands {
        IDTokenDemands(
            nonce: .exactly(request.nonce),
            authentication: [provider.configuration.minimumACR, request.authentication].compactMap(\.self),
            context: .exactly(request.context), freshness: .within(request.maximumAgeSeconds))
    }
}
