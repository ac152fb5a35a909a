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
    private static let longestSecretLife: Int64 = 15_777_000
    static let appleTeam = "DEMOTEAM01"

    /// What it must have been signed with.
    private enum Proof { case key(SignatureAlgorithm), secret }

    private let proof: Proof
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
            let algorithm = header["alg"]?.string, header["crit"] == nil, let clientID = claims["sub"]?.string
        else { return nil }
        if algorithm == "HS256" {
            proof = .secret
        } else if let algorithm = SignatureAlgorithm(rawValue: algorithm), Self.algorithms.contains(algorithm) {
            proof = .key(algorithm)
        } else {
            return nil
        }
        self.claims = claims
        self.signature = signature
        self.clientID = clientID
        signedText = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether it is signed as the client is registered for, and for this provider and moment.
    ///
    /// - Parameters:
    ///   - keys: the client's.
    ///   - audiences: the token endpoint and the issuer, either of which it may name.
    func holds(for client: SimulatedClient, keys: [PublicKey], audiences: [String], now: Int64) -> Bool {
        guard claims["iss"]?.string == client.id, clientID == client.id, let expiry = claims["exp"]?.integer,
            expiry > now, expiry <= now + Self.maximumLifetime, claims["jti"]?.string?.isEmpty == false
        else { return false }
        for time in ["iat", "nbf"] {
            guard let value = claims[time] else { continue }
            guard let seconds = value.integer, seconds <= now + Self.clockSkew else { return false }
        }
        let named = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
        guard !Set(named).isDisjoint(with: audiences) else { return false }
        switch proof {
        case .key: return client.authentication.contains(.privateKeyJWT) && isSigned(by: keys)
        case .secret:
            guard client.authentication.contains(.secretJWT) else { return false }
            return constantTimeEqual(HMAC.sha256(signedText, key: Array(client.secret.utf8)), signature)
        }
    }

    /// Whether it is a client secret as Apple takes them: signed by the client's key, from its team, for Apple, and
    /// good for half a year at most.
    func holdsAsSecret(of client: SimulatedClient, keys: [PublicKey], now: Int64) -> Bool {
        guard client.authentication.contains(.apple), clientID == client.id,
            claims["iss"]?.string == Self.appleTeam, claims["aud"]?.string == "https://appleid.apple.com",
            let issued = claims["iat"]?.integer, issued <= now + Self.clockSkew, let expiry = claims["exp"]?.integer,
            expiry > now, expiry <= issued + Self.longestSecretLife, case .key(.es256) = proof
        else { return false }
        return isSigned(by: keys)
    }

    private func isSigned(by keys: [PublicKey]) -> Bool {
        guard case .key(let algorithm) = proof else { return false }
        return keys.contains { $0.verifies(signature: signature, of: signedText, with: algorithm) }
    }

    /// Its name, by which a second use is known.
    var identifier: String { claims["jti"]?.string ?? "" }

    private static func object(_ part: String) -> JSONObject? {
        Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
    }
}
