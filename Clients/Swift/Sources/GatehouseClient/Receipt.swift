/// Proof that the user has approved a text, for your backend, which verifies it by the service's keys
/// (`/.well-known/jwks.json`).
public struct Receipt: Sendable, Equatable {
    /// The JWT (`transaction-receipt+jwt`).
    public let jwt: String

    /// Whose it is.
    var subject: String? { API.claim("sub", of: jwt) }
}

extension Receipt: Decodable {
    private enum CodingKeys: String, CodingKey {
        case jwt = "receipt"
    }
}

extension Receipt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Receipt(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
