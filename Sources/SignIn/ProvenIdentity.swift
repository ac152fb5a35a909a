internal import Accounts
internal import Providers
internal import Syntax
internal import System

/// Who the user is, proven, and by what more can be learned of them.
struct ProvenIdentity {
    let idToken: IDToken
    /// Nil where an ID token came alone, or with an access token of which it says nothing.
    let accessToken: String?
    /// What the provider has granted of what was asked for, with blanks between; nil where it says nothing of it, or an
    /// app has asked and does not say for what.
    let grantedScope: String?
    /// What is kept of the provider's tokens; nil where none are.
    let kept: KeptTokens?
}

extension AuthorizedResponse {
    /// What it shows, as the store knows it. When an ID token is over is known once it is verified.
    ///
    /// - Parameter now: seconds since 1970.
    func evidence(now: Int64) -> Evidence {
        func use(
            _ text: some StringProtocol, until expiry: Int64 = now + DispatchedCodes.memorySeconds,
            in request: RequestDigest? = nil
        ) -> OneTimeUse {
            OneTimeUse(hash: TokenHash(sha256: String(text)), expiresAt: expiry, request: request)
        }
        return switch proof {
        case .code(let code): .authorizationCode(use(code, in: request))
        case .pushed(let shown): .pushedTokens(use(shown))
        case .idToken(let token, code: nil): .idToken(use(token.signingInput, until: now, in: request))
        case .idToken(let token, code: let code?):
            .idTokenWithCode(use(token.signingInput, until: now, in: request), code: use(code))
        }
    }

    /// Checks that it is an issuer's answer that the app has got (RFC 9207 §2.4).
    ///
    /// - Throws: `.issuerMismatch`; `.invalidParameter` without `iss` where the issuer says that it sends one and the
    ///   redirect URI does not tell whose answer came back there.
    func check(isOf metadata: ProviderMetadata, at provider: Provider) throws(ServiceError) {
        if let expected = expectedIssuer, !metadata.issuer.isExactly(expected) { throw .issuerMismatch }
        if let issuer {
            guard provider.isNamed(issuer, in: metadata) else { throw .issuerMismatch }
        } else if metadata.sendsIssuer,
            expectedIssuer != nil || redirectURI.map(provider.sharesRedirectURI) == true
        {
            throw .invalidParameter(.missingIssuer)
        }
    }

    /// Checks that something ties a posted code to the app that posts it, so that nobody else's code is good here: the
    /// verifier, where the provider compares it, or a nonce (RFC 9700 §2.1.1 and §4.5.3).
    ///
    /// A code beside an ID token of an SDK's is tied by that token.
    ///
    /// - Throws: `ServiceError.invalidParameter`.
    func checkProtection(at metadata: ProviderMetadata, _ provider: Provider) throws(ServiceError) {
        let protection = provider.configuration.codeProtection
        guard isCodeOfPoster, nonce == nil, protection.nonce == .required else { return }
        let isTied =
            switch protection.pkce {
            case .auto: metadata.takesChallenges
            case .enforced: true
            case .ignored: false
            }
        // A code without a verifier is tied by no PKCE, whatever the provider does with others.
        guard isTied, codeVerifier != nil else { throw .invalidParameter(.missingNonce) }
    }

    /// Whether it is a code that an app has posted, and nothing beside it.
    var isCodeOfPoster: Bool {
        guard case .code = proof else { return false }
        return expectedIssuer == nil
    }
}

extension AuthorizationGrant.Dependencies {
    /// Claims a code among all instances.
    ///
    /// - Throws: `ServiceError.invalidGrant`, where it is used, another request has it, or it was sent elsewhere.
    func claim(_ code: OneTimeUse, for issuer: String) async throws(ServiceError) {
        let claim = try await stored { () throws(RepositoryError) in
            try await repository.claimCode(code, for: issuer, now: clock.seconds)
        }
        switch claim {
        case .claimed: return
        case .used: throw .invalidGrant(.codeAlreadyUsed)
        case .sentElsewhere: throw .invalidGrant(.codeSentElsewhere)
        }
    }

    /// - Throws: `ServiceError.invalidGrant(.codeAlreadyUsed)` for what is used up on disk.
    func checkUnused(_ use: OneTimeUse) async throws(ServiceError) {
        let isUsed = try await stored { () throws(RepositoryError) in
            try await repository.isCodeUsed(use.hash, now: clock.seconds)
        }
        if isUsed { throw .invalidGrant(.codeAlreadyUsed) }
    }
}

extension Evidence {
    /// The same, its ID token remembered for longer.
    func lasting(until expiresAt: Int64) -> Evidence {
        switch self {
        case .idToken(var token):
            token.expiresAt = expiresAt
            return .idToken(token)
        case .idTokenWithCode(var token, code: let code):
            token.expiresAt = expiresAt
            return .idTokenWithCode(token, code: code)
        case .authorizationCode, .pushedTokens, .accessToken: return self
        }
    }
}

extension IDToken {
    /// The longest that can be configured for the age of an ID token that an app posts, in seconds, and the farthest
    /// that a clock may be off.
    static let greatestNativeAge: Int64 = 86_400
    private static let greatestSkew: Int64 = 3600

    /// Until when it has to be remembered that an app has posted it, in seconds since 1970: whatever is configured by
    /// then, it is too old afterwards, or over.
    var isRememberedUntil: Int64 { min(expiresAt, issuedAt + Self.greatestNativeAge) + Self.greatestSkew }
}

extension IDTokenExpectations {
    /// Those of an ID token whose rules alone are looked at, since another one has shown what was asked for.
    static var nothing: IDTokenExpectations {
        IDTokenExpectations(nonce: .unknownToUs, authentication: [], context: .anything, freshness: .anyAge)
    }
}
