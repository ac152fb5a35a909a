internal import Crypto
internal import JSON

/// The claim `aka`: a token of the carrier that the subscriber has left, which names the account there.
struct PortToken {
    private static let secondsADay: Int64 = 86_400

    let world: World
    let idToken: IDToken

    /// - Parameter misbehaviour: nil for a right token, which only a ported subscriber gets.
    /// - Returns: nil for a subscriber who never ported, and at an issuer that is no carrier.
    func claim(_ misbehaviour: PortTokenMisbehaviour?, _ shape: PortTokenShape) throws(CryptoError) -> JSONValue? {
        let port = world.subscribers.lastPort(of: idToken.grant.subscriber.name)
        let current = idToken.provider.issuer
        guard let former = port?.from ?? (misbehaviour == nil ? nil : current.otherCarrier),
            former == current.otherCarrier, let issuer = world.provider(former)
        else { return nil }
        let date = port?.date ?? idToken.now - Self.secondsADay
        let token = JSONValue.string(try compact(misbehaviour ?? .valid, issuer, date))
        return switch shape {
        case .array: [token]
        case .single: token
        case .object: .object(JSONObject([("port_token", token)]))
        case .objectWithArray: .object(JSONObject([("port_token", [token])]))
        }
    }

    private func compact(
        _ misbehaviour: PortTokenMisbehaviour, _ former: Provider, _ date: Int64
    ) throws(CryptoError) -> String {
        let current = idToken.provider
        var draft = TokenDraft(
            type: "port_token+jwt", key: former.keys.key(for: nil),
            claims: JSONObject([
                ("iss", .string(world.url(former.issuer))),
                ("sub", .string(subject(of: idToken.grant.subscriber.name, at: former.issuer))),
                ("iat", .integer(date)),
                ("aud", .string(idToken.client.id)),
            ]))
        switch misbehaviour {
        case .valid: break
        case .foreignIssuer:
            draft.claims.set("iss", .string(world.url(.plain)))
            if let plain = world.provider(.plain) { draft.sign(with: plain.keys.key(for: .rs256)) }
        case .unreachableIssuer: draft.claims.set("iss", "http://carrier.invalid")
        case .wrongAudience: draft.claims.set("aud", "another-client")
        case .old: draft.claims.set("iat", .integer(idToken.now - 400 * Self.secondsADay))
        case .issuedInFuture: draft.claims.set("iat", .integer(idToken.now + Self.secondsADay))
        case .missingIssuedAt: draft.claims.remove("iat")
        case .badSignature: draft.isSignatureSpoilt = true
        case .issuedByCurrentIssuer:
            draft.claims.set("iss", .string(world.url(current.issuer)))
            draft.sign(with: current.keys.key(for: nil))
        case .signedByCurrentIssuer: draft.sign(with: current.keys.key(for: nil))
        case .hs256:
            draft.header.set("alg", "HS256")
            draft.signature = .hmac(key: Array(former.keys.key(for: .rs256).key.publicKey.pemText.utf8))
        case .algorithmNone:
            draft.header.set("alg", "none")
            draft.signature = .none
        case .otherAccount: draft.claims.set("sub", .string(subject(of: "mary", at: former.issuer)))
        case .newSubject: draft.claims.set("sub", .string(idToken.subject))
        case .missingSubject: draft.claims.remove("sub")
        case .wrongType: draft.header.set("typ", "JWT")
        case .garbage: draft.replacement = "not.a.token"
        }
        return try draft.compact()
    }

    private func subject(of name: String, at issuer: SimulatedIssuer) -> String {
        SubscriberDirectory.subject(of: name, for: idToken.client.id, at: issuer)
    }
}
