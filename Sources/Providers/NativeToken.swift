internal import Crypto
internal import JOSE
internal import Syntax

/// An ID token that an app has got from a provider's SDK and hands in. Nothing of it is proven. It rides along the road
/// of a sign-in, of which few have one, so it is shared and not copied.
public final class NativeToken: Sendable {
    /// The longest that is taken.
    public static let maximumBytes = IDTokenVerifier.maximumTokenBytes

    fileprivate let text: String
    /// The access token that the SDK gave with it.
    public let accessToken: String?

    /// - Parameters:
    ///   - text: the compact JWS.
    ///   - accessToken: well-formed, since it goes into a header.
    public init(_ text: String, accessToken: String?) {
        (self.text, self.accessToken) = (text, accessToken)
    }

    /// Header and payload, the text up to the last dot: what one token is, whatever its signature. An ECDSA signature
    /// can be rewritten into another one that is as good.
    public var signingInput: Substring {
        let bytes = text.utf8.span
        var count = bytes.count
        while count > 0, bytes[count - 1] != UInt8(ascii: ".") { count -= 1 }
        return count > 0 ? text[..<text.utf8.index(text.startIndex, offsetBy: count - 1)] : text[...]
    }
}

extension Provider {
    /// Whether codes are exchanged by each client that they are issued to, as at Apple, and this is one of ours.
    public func isCodeClient(_ clientID: String) -> Bool {
        exchangesForEachClient && authentication.has(clientID)
    }

    /// Which of our clients exchanges the code that came beside an ID token.
    public func codeClient(of idToken: IDToken) -> String {
        isCodeClient(idToken.client) ? idToken.client : configuration.clientID
    }
}

extension ProviderClient {
    /// Verifies an ID token that an app hands in: as any other, and by the rules of those tokens.
    ///
    /// - Parameters:
    ///   - code: the authorization code that came with it, for `c_hash`.
    ///   - now: seconds since 1970.
    /// - Throws: `ProviderError.idToken`; `.call` where the issuer's keys can't be had.
    public func verified(
        _ native: NativeToken, code: String?, of issuer: ProviderMetadata, expecting expectations: IDTokenExpectations,
        now: Int64
    ) async throws(ProviderError) -> IDToken {
        guard let rules = provider.configuration.nativeTokens else { throw .idToken(.malformed) }
        let verifier = verifier(
            of: issuer, for: provider.configuration.clientID, native: rules, expectations,
            accessToken: native.accessToken, code: code)
        return try await verified(native.text, from: .stranger, of: issuer, by: verifier, now: now)
    }
}
