public import OpenIDConnect

/// What an ID token must show, by what it is asked for. None has a default: who asks for nothing says so.
public struct IDTokenExpectations: Sendable {
    public let nonce: IDTokenVerifier.ExpectedNonce
    public let authentication: [RequiredAuthentication]
    public let context: IDTokenVerifier.ExpectedContext
    public let freshness: IDTokenVerifier.Freshness

    public init(
        nonce: IDTokenVerifier.ExpectedNonce, authentication: [RequiredAuthentication],
        context: IDTokenVerifier.ExpectedContext, freshness: IDTokenVerifier.Freshness
    ) {
        self.nonce = nonce
        self.authentication = authentication
        self.context = context
        self.freshness = freshness
    }
}
