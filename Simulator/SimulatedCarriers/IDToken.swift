internal import Crypto
internal import JOSE
internal import JSON

/// Makes an issuer's ID tokens (OpenID Connect Core §2).
struct IDToken {
    let world: World
    let provider: Provider
    let client: SimulatedClient
    let grant: Grant
    let accessToken: String
    /// Whether it comes with a refresh: then it has no nonce (OpenID Connect Core §12.2).
    let isRefreshed: Bool
    /// Unix time.
    let now: Int64
    /// The code that comes beside it.
    var code: String?

    /// What it is signed with, unless something is the matter.
    var algorithm: SignatureAlgorithm { key.algorithm }

    private var key: SigningKey {
        if provider.dialect?.signsWithSecondKey(grant, of: provider.issuer) == true { return provider.keys.second }
        return provider.keys.key(for: grant.algorithm ?? client.idTokenAlgorithm)
    }

    var subject: String {
        world.subject(of: grant.subscriber.name, for: client.id, at: provider.issuer)
    }

    /// The token in compact serialization, with what is to be the matter with it.
    func compact(_ misbehaviours: [Misbehaviour]) throws(CryptoError) -> String {
        // Before the key is chosen: from now on the issuer signs with new keys.
        if misbehaviours.idToken.contains(.rotatedKey) { try provider.keys.rotate() }
        var claims = provider.dialect.map { DialectClaims(token: self, dialect: $0).idToken } ?? rightClaims
        let portToken = PortToken(world: world, idToken: self)
        if let known = try portToken.claim(misbehaviours.portToken, misbehaviours.portTokenShape ?? .array) {
            claims.append("aka", known)
        }
        var draft = TokenDraft(type: "JWT", key: key, claims: claims)
        if let dialect = provider.dialect {
            dialect.shape(&draft, of: self)
            for misbehaviour in misbehaviours.dialect { misbehaviour.spoil(&draft, of: self, dialect) }
        }
        for misbehaviour in misbehaviours.idToken { spoil(&draft, misbehaviour) }
        draft.edits = misbehaviours.claimEdits
        return try draft.compact()
    }

    private var rightClaims: JSONObject {
        func time(_ seconds: Int64) -> JSONValue {
            provider.profile.writesTimesAsText ? .string(String(seconds)) : .integer(seconds)
        }
        var claims = JSONObject([
            ("iss", .string(world.url(provider.issuer))),
            ("sub", .string(subject)),
            ("aud", provider.issuer == .borealis ? [.string(client.id)] : .string(client.id)),
            ("exp", time(now + provider.profile.idTokenLifetime)),
            ("iat", time(now)),
            ("auth_time", .integer(grant.authenticationTime)),
            ("acr", .string(grant.level)),
            ("amr", grant.level.hasSuffix("3") ? ["hwk", "fpt"] : ["hwk"]),
        ])
        if !isRefreshed { claims.append("nonce", ifPresent: grant.nonce) }
        claims.append("context", ifPresent: grant.context)
        if provider.profile.namesSessions { claims.append("sid", .string(grant.session ?? grant.id)) }
        if provider.issuer == .telenor {
            claims.append("idp", "telenor")
            if grant.scopes.contains("profile") {
                claims.append("preferred_username", .string(grant.subscriber.phoneNumber))
            }
        }
        return claims
    }
}

extension IDToken {
    /// Does to a right token what is asked for.
    func spoil(_ draft: inout TokenDraft, _ misbehaviour: IDTokenMisbehaviour) {
        switch misbehaviour {
        case .badSignature, .algorithmNone, .algorithmNoneInOddCase, .hs256WithPublicKey, .hs256WithClientSecret,
            .es256, .unknownKeyID, .noKeyID, .rotatedKey, .retiredKey, .unknownCriticalHeader,
            .duplicateHeaderMembers, .paddedBase64:
            spoilSignature(&draft, misbehaviour)
        case .wrongIssuer, .missingIssuer, .wrongAudience, .missingAudience, .audienceInArray,
            .extraAudienceWithoutAuthorizedParty, .extraAudienceWithAuthorizedParty, .otherAuthorizedParty,
            .missingSubject, .emptySubject, .numericSubject, .otherSubject:
            spoilParties(&draft.claims, misbehaviour)
        case .expired, .missingExpiry, .missingIssuedAt, .issuedInFuture, .issuedAWeekAgo, .floatingExpiry,
            .floatingTimes, .hugeExpiry, .negativeExpiry, .hugeAuthenticationTime, .timesAsText, .oldAuthenticationTime,
            .missingAuthenticationTime:
            spoilTimes(&draft.claims, misbehaviour)
        case .wrongNonce, .missingNonce, .lowerLevel, .missingLevel, .wrongContext, .missingContext,
            .wrongAccessTokenHash, .rightAccessTokenHash:
            spoilBindings(&draft.claims, misbehaviour)
        case .duplicateMembers, .unknownMembers, .huge, .deep, .garbage:
            spoilForm(&draft, misbehaviour)
        }
    }

    private func spoilSignature(_ draft: inout TokenDraft, _ misbehaviour: IDTokenMisbehaviour) {
        switch misbehaviour {
        case .badSignature: draft.isSignatureSpoilt = true
        case .algorithmNone, .algorithmNoneInOddCase:
            draft.header.set("alg", misbehaviour == .algorithmNone ? "none" : "nOnE")
            draft.signature = .none
        case .hs256WithPublicKey, .hs256WithClientSecret:
            let pem = provider.keys.key(for: .rs256).key.publicKey.pemText
            draft.header.set("alg", "HS256")
            draft.signature = .hmac(key: Array((misbehaviour == .hs256WithPublicKey ? pem : client.secret).utf8))
        case .es256: draft.sign(with: provider.keys.key(for: .es256))
        case .unknownKeyID: draft.header.set("kid", .string("unpublished-\(Random.token(byteCount: 6))"))
        case .noKeyID: draft.header.remove("kid")
        case .retiredKey: draft.sign(with: provider.keys.retired)
        case .unknownCriticalHeader:
            draft.header.append("crit", ["urn:example:unheard-of"])
            draft.header.append("urn:example:unheard-of", true)
        case .duplicateHeaderMembers: draft.header.append("alg", "none")
        case .paddedBase64: draft.isPadded = true
        default: break
        }
    }

    private func spoilParties(_ claims: inout JSONObject, _ misbehaviour: IDTokenMisbehaviour) {
        let own = JSONValue.string(client.id)
        switch misbehaviour {
        case .wrongIssuer: claims.set("iss", .string(world.url(provider.issuer) + "/other"))
        case .missingIssuer: claims.remove("iss")
        case .wrongAudience: claims.set("aud", "another-client")
        case .missingAudience: claims.remove("aud")
        case .audienceInArray: claims.set("aud", [own])
        case .extraAudienceWithoutAuthorizedParty: claims.set("aud", [own, "another-client"])
        case .extraAudienceWithAuthorizedParty:
            claims.set("aud", [own, "another-client"])
            claims.set("azp", own)
        case .otherAuthorizedParty: claims.set("azp", "another-client")
        case .missingSubject: claims.remove("sub")
        case .emptySubject: claims.set("sub", "")
        case .numericSubject: claims.set("sub", 310_410)
        case .otherSubject: claims.set("sub", .string(subject + "x"))
        default: break
        }
    }

    private func spoilTimes(_ claims: inout JSONObject, _ misbehaviour: IDTokenMisbehaviour) {
        switch misbehaviour {
        case .expired:
            claims.set("iat", .integer(now - 960))
            claims.set("exp", .integer(now - 360))
        case .missingExpiry: claims.remove("exp")
        case .missingIssuedAt: claims.remove("iat")
        case .issuedInFuture: claims.set("iat", .integer(now + 3_600))
        case .issuedAWeekAgo: claims.set("iat", .integer(now - 604_800))
        case .floatingExpiry: claims.set("exp", .number(Double(now + provider.profile.idTokenLifetime) + 0.5))
        case .floatingTimes:
            claims.set("exp", .number(Double(now + provider.profile.idTokenLifetime) + 0.25))
            claims.set("iat", .number(Double(now) - 0.5))
            claims.set("auth_time", .number(Double(now) - 5.75))
        case .hugeExpiry: claims.set("exp", .number(1e300))
        case .negativeExpiry: claims.set("exp", .integer(-now))
        case .hugeAuthenticationTime: claims.set("auth_time", .number(1e300))
        case .timesAsText:
            claims.set("exp", .string(String(now + provider.profile.idTokenLifetime)))
            claims.set("iat", .string(String(now)))
        case .oldAuthenticationTime: claims.set("auth_time", .integer(now - 604_800))
        case .missingAuthenticationTime: claims.remove("auth_time")
        default: break
        }
    }

    private func spoilBindings(_ claims: inout JSONObject, _ misbehaviour: IDTokenMisbehaviour) {
        // A header may name another algorithm by then; the hash goes with the one that is announced.
        let algorithm = grant.algorithm ?? client.idTokenAlgorithm ?? .rs256
        switch misbehaviour {
        case .wrongNonce: claims.set("nonce", "nonce-of-another-request")
        case .missingNonce: claims.remove("nonce")
        case .lowerLevel:
            claims.set("acr", .string(provider.profile.levelPrefix + (grant.level.hasSuffix("1") ? "0" : "1")))
        case .missingLevel: claims.remove("acr")
        case .wrongContext: claims.set("context", "Transfer everything to somebody else")
        case .missingContext: claims.remove("context")
        case .wrongAccessTokenHash:
            claims.set("at_hash", .string(LeftHalfHash.leftHalf(of: accessToken + "x", algorithm: algorithm)))
        case .rightAccessTokenHash:
            claims.set("at_hash", .string(LeftHalfHash.leftHalf(of: accessToken, algorithm: algorithm)))
        default: break
        }
    }

    private func spoilForm(_ draft: inout TokenDraft, _ misbehaviour: IDTokenMisbehaviour) {
        switch misbehaviour {
        case .duplicateMembers: draft.claims.append("sub", .string(subject + "x"))
        case .unknownMembers:
            draft.claims.append("cnf", .object(JSONObject([("jkt", "unheard-of")])))
            draft.claims.append("urn:example:unheard-of", [1, true, .null, "text"])
        case .huge: draft.claims.append("padding", .string(String(repeating: "x", count: 262_144)))
        case .deep: draft.claims.append("padding", (0..<1_000).reduce(.array([])) { inner, _ in .array([inner]) })
        case .garbage: draft.replacement = "this.is-not/a=token"
        default: break
        }
    }
}
