internal import HTTPClient
internal import JOSE
internal import Syntax

/// How access tokens of a provider may sign somebody in whom no code of ours was asked for, as the operator describes
/// it.
public struct TokenExchange: Sendable, Equatable {
    /// What proves that a token was meant for us. There is no way from one to the other, and none around both: userinfo
    /// takes every client's tokens, and so proves nothing of whom one is for.
    public enum Rule: String, Sendable, CaseIterable {
        /// The provider is asked (RFC 7662).
        case introspection
        /// The token says it itself (RFC 9068).
        case jwt
    }

    public var rule: Rule
    /// What else of ours a token may be for, beside the client.
    public var audiences: [String]

    public init(_ rule: Rule, audiences: [String] = []) {
        (self.rule, self.audiences) = (rule, audiences)
    }
}

/// An access token that an app hands in, and that may be one of this provider's. Nothing of it is proven.
public struct PresentedAccessToken: Sendable {
    fileprivate enum Form: Sendable {
        case opaque
        case signed(CompactJWS)
    }

    let text: String
    fileprivate let form: Form
    fileprivate let exchange: TokenExchange
}

extension Provider {
    /// Reads an access token, and decides before anything is asked of anybody whether it can be one that the rule of
    /// this provider takes: anybody can send one.
    ///
    /// - Parameter text: at most ``AccessTokenRules/maximumTokenBytes`` long, and well-formed.
    /// - Throws: `AccessTokenError`: `.malformed` also where none is taken.
    public func presented(accessToken text: String) throws(AccessTokenError) -> PresentedAccessToken {
        guard let exchange = configuration.tokenExchange, let issuer = configuration.issuerSource.issuer,
            AccessTokenRules.isWellFormed(text)
        else { throw .malformed }
        switch exchange.rule {
        case .introspection:
            try IntrospectionAnswer.check(text)
            return PresentedAccessToken(text: text, form: .opaque, exchange: exchange)
        case .jwt:
            let token = try read(
                text, maximumByteCount: AccessTokenRules.maximumTokenBytes, or: AccessTokenError.self)
            try AccessTokenVerifier.check(token, claiming: issuer)
            return PresentedAccessToken(text: text, form: .signed(token), exchange: exchange)
        }
    }
}

extension ProviderClient {
    /// Proves whom an access token is about and that it is meant for us, by the rule of the provider's section.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `ProviderError.accessToken`; `.call` where the provider, or its keys, can't be asked, so that nothing
    ///   can be said of it.
    public func proven(
        _ presented: PresentedAccessToken, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> ProvenAccessToken {
        let configuration = provider.configuration
        let rules = AccessTokenRules(
            issuer: issuer.issuer, clientID: configuration.clientID, audiences: presented.exchange.audiences,
            authentication: configuration.minimumACR, clockSkewSeconds: configuration.clockSkewSeconds)
        switch presented.form {
        case .signed(let token):
            return try await verified(
                token, from: .stranger, keysAt: issuer.keysEndpoint,
                expecting: {
                    ExpectedNames(
                        issuers: [issuer.issuer], audiences: [configuration.clientID] + presented.exchange.audiences)
                }, now: now, or: ProviderError.accessToken
            ) {
                signed throws(AccessTokenError) in try AccessTokenVerifier(rules).verify(signed, now: now)
            }
        case .opaque:
            let answer = try await introspected(presented.text, at: issuer, now: now)
            do throws(AccessTokenError) {
                return try answer.verify(rules, now: now)
            } catch {
                throw .accessToken(error)
            }
        }
    }

    private func introspected(
        _ token: String, at issuer: ProviderMetadata, now: Int64
    ) async throws(ProviderError) -> IntrospectionAnswer {
        guard let endpoint = issuer.introspectionEndpoint else {
            throw noted(.discovery, .invalidMember("introspection_endpoint"), host: provider.configuredHost)
        }
        return try await ask(
            IntrospectionRequest(token: token), at: endpoint, of: issuer, .introspection, now: now
        ) { [provider] answer throws(ProviderCallError) in try IntrospectionAnswer(answer, dialect: provider.dialect) }
    }
}
