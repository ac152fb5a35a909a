public import Crypto
public import JSON

/// Why a document is no JWK set that we take.
public enum JWKSetError: Error, Equatable, Sendable {
    case json(JSONError)
    /// Not an object with an array `keys` (RFC 7517 §5).
    case notAKeySet
    /// More keys than the caller allows.
    case tooManyKeys
}

/// The keys a provider publishes (RFC 7517 §5).
public struct JWKSet: Sendable {
    /// The keys we can use, in document order.
    public let keys: [JWK]
    /// How many entries were passed over: of types we do not know, too weak or ill-formed (RFC 7517 §5 says to ignore
    /// them). A provider that rolls out a new kind of key goes on working.
    public let unusableKeyCount: Int
    /// The `kid` of each entry that was passed over because its private half stands in the set: anyone who reads that
    /// can sign with it.
    public let publishedPrivateKeys: [String?]

    /// Reads a set out of JSON text.
    /// - Parameters:
    ///   - bytes: the document; the caller bounds its length.
    ///   - maximumKeyCount: how many entries it may have, usable or not: each costs the building of a key.
    public init(parsing bytes: Span<UInt8>, maximumKeyCount: Int) throws(JWKSetError) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .json(error)
        }
        try self.init(json, maximumKeyCount: maximumKeyCount)
    }

    /// Reads a set out of JSON; see ``init(parsing:maximumKeyCount:)``.
    public init(_ json: JSONValue, maximumKeyCount: Int) throws(JWKSetError) {
        guard let entries = json["keys"]?.array else { throw .notAKeySet }
        guard entries.count <= maximumKeyCount else { throw .tooManyKeys }
        keys = entries.compactMap { try? JWK($0) }
        publishedPrivateKeys = entries.compactMap(\.object).filter(JWK.hasPrivateMember).map { $0["kid"]?.string }
        unusableKeyCount = entries.count - keys.count
    }

    /// The one key that may verify a token with this header.
    ///
    /// With a `kid`, only keys that carry exactly this `kid` count; a key without one is no match, even when it is the
    /// only key. Widespread relying-party libraries decide the same: a provider that names a key must publish the
    /// name, and a name we don't know means that our copy of the set is old. A `kid` may stand twice in a set (RFC
    /// 7517 §4.5 allows it for keys of different types); then one of them must fit, or each has to be tried
    /// (``JWS/verify(_:keys:allowed:)``). Without a `kid`, exactly one key
    /// must fit (OpenID Connect Core §10.1).
    /// - Throws: `JOSEError.unknownKey`.
    public func key(withID keyID: String?, for algorithm: SignatureAlgorithm) throws(JOSEError) -> JWK {
        var isNamed = false
        var fitting: Int?
        for index in keys.indices where keyID == nil || keys[index].keyID == keyID {
            isNamed = true
            guard keys[index].algorithms.contains(algorithm) else { continue }
            guard fitting == nil else { throw .unknownKey(.ambiguous) }
            fitting = index
        }
        guard let fitting else {
            if publishedPrivateKeys.contains(where: { keyID == nil || $0 == keyID }), !isNamed || keyID == nil {
                throw .unknownKey(.privateKeyPublished)
            }
            guard keyID != nil else { throw .unknownKey(.noKeyFits) }
            throw .unknownKey(isNamed ? .keyDoesNotFit : .keyIDNotInSet)
        }
        return keys[fitting]
    }
}
