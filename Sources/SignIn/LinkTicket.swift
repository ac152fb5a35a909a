public import Accounts
public import Apps
internal import Crypto
internal import JOSE
internal import Providers
import Syntax

/// What somebody gets whose identity is proven but belongs to no user: good for one registration, for ten minutes.
///
/// It stands where the sample backends show a carrier's `sub`, so that stock apps hand it back unchanged and no `sub`
/// leaves the server. It names the provider, whose client it is bound to, and 256 random bits; the store has its hash.
public struct LinkTicket: Equatable, Sendable {
    /// How long it is good for, in seconds.
    public static let lifetimeSeconds: Int64 = 600

    private static let secretBytes = 32
    /// The text of so many bytes as base64url.
    private static let secretLength = 43
    private static let maximumTextBytes = 256

    public let text: String
    /// What the carrier said, for the app to fill its registration form with.
    public let attributes: Attributes
    /// What the provider's section hands out besides.
    public let claims: TypedClaims
    /// What of both the app may learn.
    public let permissions: Permissions

    /// A ticket as it reads, for an example; only what the store knows the hash of is good for anything.
    public init(
        text: String, attributes: Attributes, claims: TypedClaims = TypedClaims(),
        permissions: Permissions = .everything
    ) {
        (self.text, self.attributes, self.claims, self.permissions) = (text, attributes, claims, permissions)
    }

    /// A new ticket.
    ///
    /// - Parameter secret: 32 bytes that nobody can guess; nil for random ones.
    static func make(
        _ provider: Provider, _ said: ProviderAssertion, for permissions: Permissions, secret: [UInt8]?
    ) -> LinkTicket {
        LinkTicket(
            provider: provider.configuration.name, secret: secret ?? Random.bytes(secretBytes),
            attributes: said.attributes, claims: said.claims, permissions: permissions)
    }

    init(
        provider: String, secret: [UInt8], attributes: Attributes, claims: TypedClaims, permissions: Permissions
    ) {
        self.init(
            text: "\(provider).\(Base64URL.encode(secret))", attributes: attributes, claims: claims,
            permissions: permissions)
    }

    var hash: TokenHash { TokenHash(sha256: text) }

    /// The provider that a presented text names; nil when it has not the form of a ticket, as a carrier's `sub` has
    /// not.
    static func provider(in text: String) -> String? {
        guard text.utf8.count <= maximumTextBytes, let dot = text.lastIndex(of: ".") else { return nil }
        let secret = String(text[text.index(after: dot)...])
        guard secret.utf8.count == secretLength, Base64URL.decode(secret) != nil else { return nil }
        return String(text[..<dot])
    }
}

extension LinkTicket: CustomStringConvertible, CustomReflectable {
    /// A ticket opens an account, so printing it shows nothing.
    public var description: String { "LinkTicket" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
