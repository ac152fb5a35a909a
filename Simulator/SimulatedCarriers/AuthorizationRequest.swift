internal import Crypto
import Syntax

/// An authorization request that was found right (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
struct AuthorizationRequest: Sendable {
    /// Why a request is refused.
    enum RequestError: Error, Sendable {
        /// The client or its address is not to be trusted, so the browser is sent nowhere (RFC 6749 §4.1.2.1).
        case page(String)
        /// The client is told at its redirect URI.
        case redirect(Destination, error: String, description: String)
    }

    /// Where the answer goes.
    struct Destination: Sendable {
        let redirectURI: String
        let state: String?
        /// Whether the browser posts the answer (OAuth 2.0 Form Post Response Mode).
        var isPosted = false
    }

    private static let maximumContextLength = 280
    private static let posted = "form_post"

    let client: SimulatedClient
    let destination: Destination
    let scopes: Set<String>
    let nonce: String?
    let level: String
    let context: String?
    let correlationID: String?
    let codeChallenge: String?
    let prompts: Set<String>
    /// Who is to sign in, when the request says so.
    let subscriber: Subscriber?
    /// The session of a line authentication, where the issuer has those.
    let lineToken: String?
    let algorithm: SignatureAlgorithm?
    let plan: MisbehaviourPlan

    /// Checks a request.
    init(_ fields: Fields, to provider: Provider, _ world: World) throws(RequestError) {
        guard fields.values("client_id").count == 1, let client = world.client(fields["client_id"], at: provider.issuer)
        else { throw .page("The client is not registered here.") }
        guard fields.values("redirect_uri").count == 1, let redirectURI = fields["redirect_uri"],
            world.allows(redirectURI, for: client)
        else { throw .page("The redirect URI is not registered for this client.") }
        let destination = Destination(
            redirectURI: redirectURI, state: fields.values("state").count == 1 ? fields["state"] : nil,
            isPosted: provider.profile.answersByForm && fields["response_mode"] == Self.posted)
        do {
            try self.init(fields, client, destination, provider)
        } catch {
            throw .redirect(destination, error: error.code, description: error.description)
        }
    }

    private init(
        _ fields: Fields, _ client: SimulatedClient, _ destination: Destination, _ provider: Provider
    ) throws(OAuthError) {
        guard !fields.hasRepetition else { throw .invalidRequest("A parameter is repeated.") }
        try Self.checkForm(fields, provider.profile)
        self.client = client
        self.destination = destination
        scopes = try Self.scopes(fields, provider.profile)
        nonce = fields["nonce"]
        level = Self.level(fields["acr_values"], provider.profile)
        context = fields["context"]
        guard (context ?? "").count <= Self.maximumContextLength else {
            throw .invalidRequest("The context has more than 280 characters.")
        }
        correlationID = fields["correlation_id"]
        guard correlationID.map(Self.isCorrelationID) ?? true else {
            throw .invalidRequest("The correlation_id is not 8 to 36 letters, digits and hyphens.")
        }
        codeChallenge = try Self.codeChallenge(fields, client, provider.profile)
        prompts = Set((fields["prompt"] ?? "").split(separator: " ").map(String.init))
        try Self.checkPrompts(prompts)
        subscriber = try Self.subscriber(fields, provider)
        lineToken = fields["aloha_token"]
        algorithm = try Self.algorithm(fields["id_token_alg"], provider.profile)
        guard let plan = MisbehaviourPlan(fields["misbehave"] ?? "") else {
            throw .invalidRequest("The simulation knows no such misbehaviour.")
        }
        self.plan = plan
    }

    private static func checkForm(_ fields: Fields, _ profile: IssuerProfile) throws(OAuthError) {
        guard let type = fields["response_type"] else { throw .invalidRequest("The response_type is missing.") }
        guard type == "code" else {
            throw OAuthError("unsupported_response_type", "Only the response type code is supported.")
        }
        guard fields["request"] == nil else {
            throw OAuthError("request_not_supported", "Request objects are not supported.")
        }
        guard fields["request_uri"] == nil else {
            throw OAuthError("request_uri_not_supported", "Request objects are not supported.")
        }
        let modes = profile.answersByForm ? ["query", posted] : ["query"]
        guard modes.contains(fields["response_mode"] ?? "query") else {
            throw .invalidRequest("The response mode is not supported.")
        }
        if let text = fields["max_age"] {
            guard let seconds = Int64(text), seconds >= 0 else {
                throw .invalidRequest("The max_age is no number of seconds.")
            }
        }
    }

    private static func scopes(_ fields: Fields, _ profile: IssuerProfile) throws(OAuthError) -> Set<String> {
        let scopes = Set((fields["scope"] ?? "").split(separator: " ").map(String.init))
        guard !profile.scopesAnsweredByForm.isEmpty else {
            guard scopes.contains("openid") else { throw OAuthError("invalid_scope", "The scope lacks openid.") }
            return scopes
        }
        guard scopes.isDisjoint(with: profile.scopesAnsweredByForm) || fields["response_mode"] == posted else {
            throw .invalidRequest("With these scopes the response_mode must be form_post.")
        }
        return scopes
    }

    private static func checkPrompts(_ prompts: Set<String>) throws(OAuthError) {
        guard prompts.isSubset(of: ["none", "login", "consent", "select_account"]) else {
            throw .invalidRequest("The prompt is unknown.")
        }
        guard !prompts.contains("none") || prompts.count == 1 else {
            throw .invalidRequest("The prompt none goes with no other.")
        }
    }

    /// RFC 7636 §4.3; `plain`, which is also what a missing method means, protects too little (RFC 9700 §2.1.1).
    private static func codeChallenge(
        _ fields: Fields, _ client: SimulatedClient, _ profile: IssuerProfile
    ) throws(OAuthError) -> String? {
        guard !profile.ignoresPKCE else { return nil }
        guard let challenge = fields["code_challenge"] else {
            guard fields["code_challenge_method"] == nil else {
                throw .invalidRequest("A code_challenge_method goes with a code_challenge.")
            }
            guard !client.requiresPKCE else { throw .invalidRequest("The code_challenge is missing.") }
            return nil
        }
        guard client.requiresPKCE || !profile.refusesStrayPKCE else {
            throw .invalidRequest("The application is registered without PKCE.")
        }
        guard fields["code_challenge_method"] == "S256" else {
            throw .invalidRequest("The code_challenge_method must be S256.")
        }
        guard Base64URL.decode(challenge)?.count == Digest.sha256.byteCount else {
            throw .invalidRequest("The code_challenge is no SHA-256 hash in base64url.")
        }
        return challenge
    }

    /// The first level asked for that the issuer knows, in the issuer's own spelling; the first level of all when
    /// nothing is asked.
    static func level(_ asked: String?, _ profile: IssuerProfile) -> String {
        for value in (asked ?? "").split(separator: " ") {
            let prefix = [profile.levelPrefix, "aal", "a"].filter { value.hasPrefix($0) }.max { $0.count < $1.count }
            let digits = prefix.map { value.dropFirst($0.count) } ?? ""
            if ["1", "2", "3"].contains(digits) { return profile.levelPrefix + digits }
        }
        return profile.levelPrefix + "1"
    }

    static func isCorrelationID(_ text: String) -> Bool {
        (8...36).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D
            }
    }

    private static func subscriber(_ fields: Fields, _ provider: Provider) throws(OAuthError) -> Subscriber? {
        if let token = fields["login_hint_token"] {
            guard let subscriber = LoginHintToken.subscriber(token) else {
                throw OAuthError("invalid_login_hint_token", "The login_hint_token is not of this discovery.")
            }
            return subscriber
        }
        guard let hint = fields["login_hint"] else { return nil }
        guard
            let subscriber = provider.subscriber(named: hint)
                ?? (provider.profile.keepsSessions ? Subscriber.reached(at: hint) : nil)
        else {
            throw OAuthError("invalid_login_hint", "The login_hint names no subscriber.")
        }
        return subscriber
    }

    static func algorithm(
        _ name: String?, _ profile: IssuerProfile
    ) throws(OAuthError) -> SignatureAlgorithm? {
        guard let name else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: name), profile.announcedAlgorithms.contains(algorithm) else {
            throw .invalidRequest("The issuer has no key for this id_token_alg.")
        }
        return algorithm
    }
}
