internal import Accounts
internal import Apps
internal import Crypto
internal import Providers

/// What an app is given at the end of a sign-in through the browser: a code that it redeems once, for a session of its
/// own.
struct AppGrant: Sendable {
    /// How long the app has to redeem the code, in seconds (RFC 6749 §4.1.2 recommends ten minutes at most).
    static let lifetimeSeconds: Int64 = 60
    /// What the user must have agreed to, and whether nobody may be asked; nil where nobody is.
    private let consent: (rule: ConsentDemand.Rule, isSilent: Bool)?
    let client: String
    let permissions: Permissions
    let audience: String?
    let redirectURI: String
    let codeChallenge: String
    let nonce: String?
    /// What the user is to approve by it; nil for nothing.
    let approval: RequestedApproval?
    /// The code, as the app gets it.
    let code: String

    init(_ request: PendingRequest, for app: RegisteredApp) {
        consent = Self.rule(request, app).map { ($0, request.carried.isSilent) }
        client = request.clientID
        permissions = request.permissions
        audience = request.audience
        redirectURI = request.redirectURI
        codeChallenge = request.codeChallenge
        nonce = request.nonce
        approval = request.carried.approval(request.permissions, nonce: request.nonce)
        code = AppCode(for: request.correlationID).text
    }

    /// Whether the user has yet to be asked whether the app may have what it asks for.
    var asksForConsent: Bool { consent.map { $0.rule != .given } ?? false }

    /// Who has just said yes on a page that names the app and what it asks for is not asked again. A request may always
    /// have its user asked (`prompt=consent`, OpenID Connect Core §3.1.2.1).
    private static func rule(_ request: PendingRequest, _ app: RegisteredApp) -> ConsentDemand.Rule? {
        if request.confirmation == .given { return .given }
        if request.carried.asksForConsent { return .eachTime }
        return switch app.consent {
        case .implicit: nil
        case .explicit: .once
        case .systematic: .eachTime
        }
    }

    /// What of it is granted.
    struct Granted: Sendable {
        let left: Permissions
        let declined: [String]
    }

    /// What the session may do: what the app has asked for, but for what its user has declined at the provider; and
    /// that.
    ///
    /// - Throws: `.authorizationRefused` where nothing is left of it.
    func permissions(
        _ proven: ProvenIdentity, _ said: ProviderAssertion, at provider: ProviderConfiguration
    ) throws(ServiceError) -> Granted {
        let left = ProviderScopes(of: provider, for: client, permissions)
            .left(of: permissions, granted: proven.grantedScope, told: said.attributes)
        guard !left.isEmpty || permissions.isEmpty else { throw .authorizationRefused(.accessDenied) }
        return Granted(left: left, declined: permissions.subtracting(left).names)
    }

    /// - Parameter now: seconds since 1970.
    func code(now: Int64) -> NewAppCode {
        NewAppCode(
            hash: TokenHash(sha256: code), redirectURI: redirectURI, codeChallenge: codeChallenge, nonce: nonce,
            expiresAt: now + Self.lifetimeSeconds,
            consent: consent.map {
                ConsentDemand(
                    rule: $0.rule, isSilent: $0.isSilent, waitsUntil: now + BrowserSignIn.lifetimeSeconds)
            })
    }
}
