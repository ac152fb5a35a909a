public import Crypto

/// A relying party that the simulated issuers know.
public struct SimulatedClient: Sendable {
    /// How it may prove who it is at the token endpoint (OpenID Connect Core §9).
    public enum Authentication: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        /// A public client, which only says who it is; the code challenge is then the only proof.
        case publicClient = "none"
    }

    public let id: String
    public let secret: String
    /// Compared as texts with what requests name, nothing more (RFC 9700 §4.1.3).
    public let redirectURIs: [String]
    public let authentication: Set<Authentication>
    /// What its assertions may be signed with.
    public let keys: [PublicKey]
    /// Where it is registered.
    public let issuers: Set<SimulatedIssuer>
    /// What its ID tokens are signed with; nil leaves it to the issuer.
    public let idTokenAlgorithm: SignatureAlgorithm?
    /// Whether an authorization request without a code challenge is refused.
    public let requiresPKCE: Bool

    public init(
        id: String, secret: String, redirectURIs: [String], authentication: Set<Authentication> = [.basic],
        keys: [PublicKey] = [], issuers: Set<SimulatedIssuer>, idTokenAlgorithm: SignatureAlgorithm? = nil,
        requiresPKCE: Bool = true
    ) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.authentication = authentication
        self.keys = keys
        self.issuers = issuers
        self.idTokenAlgorithm = idTokenAlgorithm
        self.requiresPKCE = requiresPKCE
    }

    /// The clients of the demo: one for the carriers, one for the plain provider, and one there without a secret.
    ///
    /// - Parameter redirectURIs: addresses registered for both, beside each one's own.
    public static func demo(redirectURIs: [String] = []) -> [SimulatedClient] {
        let carrierClient = "ccid-0123456789abcdef"
        return [
            SimulatedClient(
                id: carrierClient, secret: "demo-secret",
                redirectURIs: ["\(carrierClient)://com.xci.provider.sdk"] + redirectURIs,
                issuers: [.discovery, .aurora, .borealis]),
            SimulatedClient(
                id: "gatehouse-demo", secret: "demo-secret-plain",
                redirectURIs: ["com.example.app:/callback"] + redirectURIs, authentication: [.basic, .post],
                issuers: [.plain]),
            SimulatedClient(
                id: "gatehouse-public", secret: "", redirectURIs: ["com.example.app:/callback"] + redirectURIs,
                authentication: [.publicClient], issuers: [.plain]),
        ]
    }
}
