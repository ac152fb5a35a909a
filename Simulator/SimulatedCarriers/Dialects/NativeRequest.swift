internal import Crypto

/// What an app asks the SDK on its phone for.
struct NativeRequest {
    private static let longestAge: Int64 = 366 * 86_400

    /// Whom the ID token is made out to.
    let client: SimulatedClient
    /// The app's own client, where that is another one.
    let party: String?
    let subscriber: Subscriber
    let tenant: String?
    let scopes: Set<String>
    let nonce: String?
    let algorithm: SignatureAlgorithm?
    let plan: MisbehaviourPlan
    /// When the ID token was issued, in Unix time.
    let issuedAt: Int64
    let isFirst: Bool

    /// Reads it.
    ///
    /// - Parameter now: Unix time.
    init(_ fields: Fields, to provider: Provider, _ dialect: Dialect, _ world: World, now: Int64) throws(OAuthError) {
        guard !fields.hasRepetition else { throw .invalidRequest("A parameter is repeated.") }
        guard let app = world.client(fields["client_id"], at: provider.issuer) else {
            throw OAuthError("invalid_client", "The client_id is none that is registered here.")
        }
        var server: SimulatedClient?
        if let id = fields["server_client_id"] {
            guard dialect.namesParty, let known = world.client(id, at: provider.issuer) else {
                throw OAuthError("invalid_client", "The server_client_id is none that is registered here.")
            }
            server = known
        }
        guard let subscriber = fields["login_hint"].flatMap(Subscriber.named) else {
            throw OAuthError("invalid_login_hint", "The login_hint names no subscriber.")
        }
        guard let site = dialect.site(fields["tenant"], of: world.url(provider.issuer)) else {
            throw .invalidRequest("The tenant is none that there is.")
        }
        guard let plan = MisbehaviourPlan((fields["misbehave"] ?? "").replacing(",", with: ".")) else {
            throw .invalidRequest("The simulation knows no such misbehaviour.")
        }
        client = server ?? app
        party = server == nil ? nil : app.id
        self.subscriber = subscriber
        tenant = site.signedInTenant
        scopes = Set((fields["scope"] ?? "openid profile name email").split(separator: " ").map(String.init))
        // What the app gives goes into the token as it is. An old SDK has one of its own that nobody learns.
        nonce = fields["nonce"] ?? (fields["old_sdk"] == "true" ? Random.token(byteCount: 16) : nil)
        algorithm = try AuthorizationRequest.algorithm(fields["algorithm"], provider.profile)
        self.plan = plan
        issuedAt = try Self.issueTime(fields, now: now)
        isFirst = fields["first"] == "true"
    }

    private static func issueTime(_ fields: Fields, now: Int64) throws(OAuthError) -> Int64 {
        let named =
            fields["issued_at"].map { Int64($0) }
            ?? fields["age_seconds"].map { text in
                Int64(text).flatMap { (-longestAge...longestAge).contains($0) ? now - $0 : nil }
            }
        guard let named else { return now }
        guard let time = named, (0...(now + longestAge)).contains(time) else {
            throw .invalidRequest("issued_at or age_seconds is no time within a year.")
        }
        return time
    }

    /// What the tokens stand for.
    func grant(redirectURI: String?) -> Grant {
        Grant(
            id: Random.token(byteCount: 16), clientID: client.id, redirectURI: redirectURI, subscriber: subscriber,
            scopes: scopes, nonce: nonce, level: "", context: nil, correlationID: nil, codeChallenge: nil,
            authenticationTime: issuedAt, algorithm: algorithm, plan: plan, tenant: tenant, party: party,
            isNative: true)
    }
}
