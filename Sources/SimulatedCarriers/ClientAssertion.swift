internal import Crypto
internal import JSON
import Syntax

/// A client's signed statement of who it is (RFC 7523 §3, OpenID Connect Core §9).
struct ClientAssertion {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256, .edDSA]
    /// The longest an assertion may be good for, in seconds; as long its `jti` is remembered.
    static let maximumLifetime: Int64 = 600
    private static let clockSkew: Int64 = 60

    private let algorithm: SignatureAlgorithm
    private let claims: JSONObject
    private let signedText: [UInt8]
    private let signature: [UInt8]
    /// Who it says it is.
    let clientID: String

    /// Takes a compact JWS apart; nothing of it is proven yet.
    ///
    /// - Returns: nil when it is none, or its algorithm is none of ours.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init), header["crit"] == nil,
            Self.algorithms.contains(algorithm), let clientID = claims["sub"]?.string
        else { return nil }
        self.algorithm = algorithm
        self.claims = claims
        self.signature = signature
        self.clientID = clientID
        signedText = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether it is signed by one of the client's keys, and for this provider and moment.
    ///
    /// - Parameter audiences: the token endpoint and the issuer, either of which it may name.
    func holds(for client: SimulatedClient, audiences: [String], now: Int64) -> Bool {
        guard claims["iss"]?.string == client.id, clientID == client.id, let expiry = claims["exp"]?.integer,
            expiry > now, expiry <= now + Self.maximumLifetime, claims["jti"]?.string?.isEmpty == false
        else { return false }
        for time in ["iat", "nbf"] {
            guard let value = claims[time] else { continue }
            guard let seconds = value.integer, seconds <= now + Self.clockSkew else { return false }
        }
        let named = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
        guard !Set(named).isDisjoint(with: audiences) else { return false }
        return client.keys.contains { $0.verifies(signature: signature, of: signedText, with: algorithm) }
    }

    /// Its name, by which a second use is known.
    var identifier: String { claims["jti"]?.string ?? "" }

    private static func object(_ part: String) -> JSONObject? {
        Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
    }
}
