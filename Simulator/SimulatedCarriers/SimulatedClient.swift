public import Crypto

/// A relying party that the simulated issuers know.
public struct SimulatedClient: Sendable {
    /// How it may prove who it is at the token endpoint (OpenID Connect Core §9).
    public enum Authentication: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case privateKeyJWT = "private_key_jwt"
        case secretJWT = "client_secret_jwt"
        /// A secret that is a signed statement, as Apple takes it; no specification has a name for it.
        case apple
        /// A public client, which only says who it is; the code challenge is then the only proof.
        case publicClient = "none"

        /// Those with a name in metadata (IANA, "OAuth Token Endpoint Authentication Methods").
        static let registered = allCases.filter { $0 != .apple }.map(\.rawValue)
    }

    public let id: String
    /// What people are told who asks; nil where the id has to do.
    public let name: String?
    public let secret: String
    /// Compared as texts with what requests name, nothing more (RFC 9700 §4.1.3).
    public let redirectURIs: [String]
    /// Where its users may go once they are signed out; compared likewise.
    public let postLogoutRedirectURIs: [String]
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
        id: String, name: String? = nil, secret: String, redirectURIs: [String],
        postLogoutRedirectURIs: [String] = [], authentication: Set<Authentication> = [.basic],
        keys: [PublicKey] = [], issuers: Set<SimulatedIssuer>, idTokenAlgorithm: SignatureAlgorithm? = nil,
        requiresPKCE: Bool = true
    ) {
        self.id = id
        self.name = name
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.authentication = authentication
        self.keys = keys
        self.issuers = issuers
        self.idTokenAlgorithm = idTokenAlgorithm
        self.requiresPKCE = requiresPKCE
    }

    /// The demo's client id at discovery and at the carriers.
    static let carrierClientID = "ccid-0123456789abcdef"

    /// That of an app from the time before the carriers' SDKs had PKCE.
    static let formerCarrierClientID = "ccid-2019201920192019"

    /// And at the plain provider.
    static let plainClientID = "gatehouse-demo"
    /// Of a client there whose secret is never sent.
    static let clientIDWithKeys = "gatehouse-keys"

    /// Two clients at TelenorID+, to which a person has two subjects.
    static let telenorClientID = "gatehouse-telenor"
    static let otherTelenorClientID = "gatehouse-telenor-web"

    /// Two clients at the issuer like Beyond Identity: one whose application is registered without PKCE, and a public
    /// one.
    static let beyondClientID = "gatehouse-beyond"
    static let publicBeyondClientID = "gatehouse-beyond-public"

    /// The clients of the demo: two for the carriers, one of them without PKCE; three for the plain provider: one with
    /// a secret, one without, and one that signs who it is; two for TelenorID+, two for the issuer like Beyond
    /// Identity, and at each dialect one for a server and those of its apps.
    ///
    /// - Parameters:
    ///   - redirectURIs: addresses registered for all, beside each one's own.
    ///   - postLogoutRedirectURIs: those of TelenorID+'s.
    public static func demo(
        redirectURIs: [String] = [], postLogoutRedirectURIs: [String] = []
    ) -> [SimulatedClient] {
        [
            carrierClient(carrierClientID, redirectURIs),
            carrierClient(formerCarrierClientID, redirectURIs, hasPKCE: false),
            SimulatedClient(
                id: plainClientID, name: "Gatehouse demo", secret: "demo-secret-plain",
                redirectURIs: ["com.example.app:/callback"] + redirectURIs, authentication: [.basic, .post],
                issuers: [.plain]),
            SimulatedClient(
                id: "gatehouse-public", secret: "", redirectURIs: ["com.example.app:/callback"] + redirectURIs,
                authentication: [.publicClient], issuers: [.plain]),
            SimulatedClient(
                id: clientIDWithKeys, secret: "demo-secret-that-is-long-enough-for-HS256",
                redirectURIs: ["com.example.app:/callback"] + redirectURIs,
                authentication: [.privateKeyJWT, .secretJWT, .apple], issuers: [.plain]),
        ]
            + [telenorClientID, otherTelenorClientID].map { id in
                SimulatedClient(
                    id: id, name: "Gatehouse demo", secret: "demo-secret-telenor",
                    redirectURIs: ["com.example.app:/callback"] + redirectURIs,
                    postLogoutRedirectURIs: postLogoutRedirectURIs, authentication: [.basic, .post],
                    issuers: [.telenor])
            }
            + [
                SimulatedClient(
                    id: beyondClientID, name: "Gatehouse demo", secret: "demo-secret-beyond",
                    redirectURIs: ["com.example.app:/beyond"] + redirectURIs, authentication: [.basic, .post],
                    issuers: [.beyond], requiresPKCE: false),
                SimulatedClient(
                    id: publicBeyondClientID, name: "Gatehouse demo", secret: "",
                    redirectURIs: ["com.example.app:/beyond"] + redirectURIs, authentication: [.publicClient],
                    issuers: [.beyond]),
            ] + DialectClients.demo(redirectURIs: redirectURIs)
    }

    private static func carrierClient(
        _ id: String, _ redirectURIs: [String], hasPKCE: Bool = true
    ) -> SimulatedClient {
        SimulatedClient(
            id: id, name: "Gatehouse demo", secret: "demo-secret",
            redirectURIs: ["\(id)://com.xci.provider.sdk"] + redirectURIs, issuers: [.discovery, .aurora, .borealis],
            requiresPKCE: hasPKCE)
    }
}
