internal import Crypto

extension ProviderProbe {
    /// A code that the operator has signed in for, with the verifier of the request's challenge by S256.
    public struct SignedInCode: Sendable {
        let code: String
        let verifier: String
        /// The request's; nil for that of the provider's section.
        let redirectURI: String?

        public init(code: String, verifier: String, redirectURI: String?) {
            self.code = code
            self.verifier = verifier
            self.redirectURI = redirectURI
        }
    }

    /// Tries the code with a wrong verifier, and where that is refused with the right one. Of the tokens that come
    /// nothing is kept.
    func pkce(
        of signedIn: SignedInCode, at issuer: ProviderMetadata, _ client: borrowing ProviderClient
    ) async -> Finding {
        switch await answer(to: signedIn, verifier: Random.token(byteCount: Self.verifierBytes), issuer, client) {
        case .tokens:
            let sentence =
                "gives tokens for a wrong verifier: it passes PKCE over, so that a code is good for anybody who comes by it; set "
                + "pkce: ignored, and every posted code needs a nonce"
            return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .failed(let sentence): return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .refused: break
        }
        switch await answer(to: signedIn, verifier: signedIn.verifier, issuer, client) {
        case .tokens:
            return Finding(step: .pkce, isGood: true, sentence: "refuses a wrong verifier, and takes the right one")
        case .refused:
            let sentence =
                "refuses the code with either verifier: the wrong one may have used it up, or it was no good from the start (too "
                + "old, used, of another client or redirect URI); nothing is shown of PKCE"
            return Finding(step: .pkce, isGood: false, sentence: sentence)
        case .failed(let sentence): return Finding(step: .pkce, isGood: false, sentence: sentence)
        }
    }

    /// What came of an exchange.
    private enum Answer {
        case tokens
        /// As the code's or the verifier's fault.
        case refused
        /// For another reason.
        case failed(String)
    }

    private func answer(
        to signedIn: SignedInCode, verifier: String, _ issuer: ProviderMetadata, _ client: borrowing ProviderClient
    ) async -> Answer {
        let request = TokenRequest(
            code: signedIn.code, redirectURI: signedIn.redirectURI ?? redirectURI, codeVerifier: verifier,
            correlationID: nil, sdkVersion: nil)
        do throws(ProviderError) {
            _ = try await client.exchange(request, at: issuer, now: now())
            return .tokens
        } catch {
            return ProbeWords.isRefusalOfVerifier(error)
                ? .refused : .failed(ProbeWords.sentence(error, call.facts, by: provider.dialect.title))
        }
    }
}
