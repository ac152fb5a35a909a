internal import Crypto
internal import HTTPServer
internal import JSON
import Syntax

/// Carrying users to another team, as Apple has it: the old team asks for names that outlive the transfer, the new one
/// says whose they are.
struct AppleMigration: Sendable {
    static let path = "/auth/usermigrationinfo"
    static let controlPath = "/control/transfer"
    static let scope = "user.migration"

    let world: World
    let provider: Provider

    /// What a subscriber is called while an app goes to a team.
    static func transferSubject(of name: String, to team: String) -> String {
        let hash = HMAC.sha256(Array("\(team)\u{0}\(name)".utf8), key: Array("transfer".utf8))
        return "\(team.lowercased()).\(Base64URL.encode(Array(hash.prefix(16))))"
    }

    /// An access token of the client's own (RFC 6749 §4.4); nil when the request is for something else.
    func token(_ request: HTTPRequest) -> HTTPResponse? {
        guard let form = Fields(form: request), form["grant_type"] == "client_credentials" else { return nil }
        return answer { () throws(OAuthError) in
            let client = try ClientAuthentication(world: world, provider: provider).client(request, form)
            guard form["scope"] == Self.scope else { throw OAuthError("invalid_scope", "The scope is unknown.") }
            let token = Random.token(byteCount: 24)
            provider.migrations.insert(client.id, as: token, now: World.now)
            return JSONObject([
                ("access_token", .string(token)), ("token_type", "Bearer"),
                ("expires_in", .integer(GrantStore.accessTokenLifetime)),
            ])
        }
    }

    /// `sub` and `target` for a transfer's name, or `transfer_sub` for whose it is.
    func respond(to request: HTTPRequest) -> HTTPResponse {
        answer { () throws(OAuthError) in
            guard let form = Fields(form: request), !form.hasRepetition else {
                throw .invalidRequest("The body is no form, or repeats a parameter.")
            }
            // Here the Authorization field is the token's, and the client's proof can only stand in the form.
            let client = try ClientAuthentication(world: world, provider: provider).clientByPost(form)
            let words = (request.header("Authorization") ?? "").split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer",
                provider.migrations.value(String(words[1]), now: World.now) == client.id
            else { throw OAuthError("invalid_token", "The access token is not good here.", status: .unauthorized) }
            if let name = form["transfer_sub"] { return try user(transferredAs: name, client) }
            guard let subject = form["sub"], let team = form["target"] else {
                throw .invalidRequest("There is neither a sub with its target, nor a transfer_sub.")
            }
            guard let subscriber = provider.subscriber(called: subject, by: ClientAssertion.appleTeam) else {
                throw .invalidRequest("The sub is nobody's.")
            }
            return JSONObject([("transfer_sub", .string(Self.transferSubject(of: subscriber.name, to: team)))])
        }
    }

    private func user(transferredAs name: String, _ client: SimulatedClient) throws(OAuthError) -> JSONObject {
        let subscriber = world.subscribers.transferred.compactMap(Subscriber.named).first { subscriber in
            Self.transferSubject(of: subscriber.name, to: world.subscribers.team(of: subscriber.name)) == name
        }
        guard let subscriber else { throw .invalidRequest("The transfer_sub is nobody's of this team's.") }
        let attributes = DialectAttributes(subscriber: subscriber, scopes: ["email"])
        let subject = world.subject(of: subscriber.name, for: client.id, at: provider.issuer)
        return JSONObject([(name: "sub", value: .string(subject))] + attributes.members(["email", "is_private_email"]))
    }

    /// `subscriber` and `to_team`: from now on the app is that team's, as far as this subscriber is concerned.
    func transfer(_ request: HTTPRequest) -> HTTPResponse {
        answer { () throws(OAuthError) in
            guard let form = Fields(form: request), let name = form["subscriber"], let team = form["to_team"],
                world.subscribers.transfer(name, to: team)
            else { throw .invalidRequest("The form has no subscriber and to_team.") }
            return JSONObject()
        }
    }

    private func answer(_ body: () throws(OAuthError) -> JSONObject) -> HTTPResponse {
        do throws(OAuthError) {
            return .object(try body())
        } catch {
            return provider.dialect?.refusals.response(to: error) ?? error.response
        }
    }
}
