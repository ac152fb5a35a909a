internal import JSON

/// In what a provider that people use differs from the plain one: one value each, in ``DialectTable``.
///
/// What are different hosts elsewhere are paths of one host here.
struct Dialect: Sendable {
    /// How a token's issuer may also be spelled.
    enum OtherSpelling: Sendable {
        case withoutScheme
        /// Below the dialect's own address.
        case path(String)
    }

    /// The code that an SDK hands out beside an ID token. Nobody was redirected for it.
    enum NativeCode: Sendable {
        /// Redeemed without a redirect URI, by the client that asked.
        case withoutRedirectURI
        /// Redeemed with an empty one, by the client of the app's server.
        case withEmptyRedirectURI
    }

    /// What an SDK's access token is good for.
    enum NativeAccess: Sendable {
        case none, useless, good
    }

    /// What userinfo answers.
    enum Userinfo: Sendable {
        case attributes([String])
        /// Attributes whose flags are texts, and a username.
        case withTexts([String])
        /// The access token that the client has is for another resource.
        case refusal
    }

    let profile: IssuerProfile
    let places: [DialectPlace]
    /// The tenant of who names none.
    var tenant: String?
    let subject: DialectSubject
    let refusals: RefusalForm
    /// Claims that are the same in all of its ID tokens.
    var constants: [JSONObject.Member] = []
    /// The attributes in its ID tokens, where the scope has them.
    let attributes: [String]
    var userinfo = Userinfo.attributes([])
    var otherSpelling: OtherSpelling?
    /// How clients authenticate, in metadata.
    var authentication = ["client_secret_basic", "client_secret_post"]
    var codeLifetime = GrantStore.codeLifetime
    /// Whether its ID tokens have `azp`: the app's own client, where the audience is its server's.
    var namesParty = false
    /// Whether its ID tokens have `at_hash`.
    var hashesAccessToken = true
    /// Whether its headers have `typ`.
    var writesType = true
    /// Whether refresh tokens are replaced as they are used.
    var rotatesRefreshTokens = true
    var writesAccessTokensAsJWT = false
    /// Whether ID tokens for codes have an HMAC under the client's secret, whatever the metadata says.
    var signsCodesTokensWithSecret = false
    /// Whether anybody with a token may revoke it, without being a client.
    var revokesForAnybody = false
    var nativeAccess = NativeAccess.none
    var nativeCode: NativeCode?
    /// Whether an SDK hands out the user's name, once.
    var introducesUsers = false

    /// Where a tenant's subscribers sign in; nil for a name that is no tenant's.
    ///
    /// - Parameters:
    ///   - name: nil for the usual one.
    ///   - base: the dialect's own address.
    func site(_ name: String?, of base: String) -> DialectSite? {
        let tenant = name ?? tenant
        return places.first { $0.serves(tenant) }.map { DialectSite(place: $0, tenant: tenant, base: base) }
    }

    /// Some tokens are signed with the second key: Apple's for apps, so that one has to look which, and Entra's for the
    /// one tenant whose own it is.
    func signsWithSecondKey(_ grant: Grant, of issuer: SimulatedIssuer) -> Bool {
        switch issuer {
        case .apple: grant.isNative
        case .entra: grant.tenant == EntraTenant.personal
        default: false
        }
    }

    /// Gives a token the header and signature of the dialect.
    func shape(_ draft: inout TokenDraft, of token: IDToken) {
        if !writesType { draft.header.remove("typ") }
        guard signsCodesTokensWithSecret, !token.grant.isNative else { return }
        draft.header.set("alg", "HS256")
        draft.header.remove("kid")
        draft.signature = .hmac(key: Array(token.client.secret.utf8))
    }

    var refusesAtUserinfo: Bool { if case .refusal = userinfo { true } else { false } }

    /// What userinfo tells beside the subject.
    func userinfo(of grant: Grant, subject: String) -> [JSONObject.Member] {
        let attributes = DialectAttributes(subscriber: grant.subscriber, scopes: grant.scopes)
        return switch userinfo {
        case .attributes(let names): attributes.members(names)
        case .withTexts(let names):
            DialectAttributes.withTexts(attributes.members(names)) + [("username", .string(subject))]
        case .refusal: []
        }
    }

    /// Nil for an issuer that is none of them.
    static func of(_ issuer: SimulatedIssuer) -> Dialect? { DialectTable.byIssuer[issuer] }
}
