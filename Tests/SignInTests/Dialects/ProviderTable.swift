import HTTPClient
import Providers
import Testing

/// What one provider answers, byte by byte, and what must come of it: a file for each.
struct ProviderTable: Sendable, CustomTestStringConvertible {
    let dialect: DialectName
    /// What its token endpoint answers to a good code; `{id_token}` stands for one that is right.
    let tokens: SpokenAnswer
    /// And to a good refresh token.
    let refreshed: SpokenAnswer
    /// nil where it revokes nothing that we have.
    let revoked: SpokenAnswer?
    /// What userinfo answers; nil where it has none.
    let userinfo: SpokenAnswer?
    /// What else it answers, to whichever call.
    let refusals: [SpokenAnswer]
    /// What its authorization responses say.
    let authorization: [(code: String, meaning: AuthorizationRefusal)]

    var testDescription: String { dialect.rawValue }

    static let all: [ProviderTable] = [
        .auth0, .okta, .apple, .linkedIn, .line, .slack, .facebook, .entra, .google, .twitch,
    ]
}

/// An answer of a provider's, and what must come of it.
struct SpokenAnswer: Sendable, CustomTestStringConvertible {
    enum Place: String, Sendable, CaseIterable {
        case code, refresh, revocation, userinfo
    }

    /// What came of it.
    enum Outcome: Sendable, Equatable {
        /// The user is signed in, the token is renewed, the provider is told.
        case good
        /// The code is no good; there is an end to the grant.
        case over
        /// The user, or a rule of the provider's, says no.
        case denied
        /// The user has to do something at the provider, and the grant is as it was.
        case userMustAct
        /// Our section, or the client at the provider, is not as it must be.
        case configuration
        /// It may pass.
        case unavailable
        /// The provider answers with what nobody can use.
        case broken
        /// It will never be done.
        case never
    }

    let situation: String
    let status: Int
    let headers: [(name: String, value: String)]
    let body: String
    /// What comes of it, by what it answers.
    var outcomes: [Place: Outcome]
    /// What the probe says, where it is an answer to a code.
    var probe: String?

    init(
        _ situation: String, _ status: Int, _ body: String,
        headers: [(name: String, value: String)] = [
            (name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store"),
        ],
        _ outcomes: [Place: Outcome] = [:], probe: String? = nil
    ) {
        self.situation = situation
        self.status = status
        self.headers = headers
        self.body = body
        self.outcomes = outcomes
        self.probe = probe
    }

    var testDescription: String { situation }

    func response(idToken: String = "") -> OutboundResponse {
        OutboundResponse(
            status: status, headers: headers, body: Array(body.replacing("{id_token}", with: idToken).utf8))
    }
}
