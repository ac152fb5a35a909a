internal import Crypto
internal import HTTPServer
internal import JSON
import Syntax

/// Both APIs by which the directory is kept. They are strict: what a caller sends wrongly is refused, and so is what it
/// need not send.
struct DirectoryEndpoints {
    static let apiOf2021 = "/v1/manage"
    static let realm = "/v1/tenants/demo/realms/demo"
    static let tokenPath = "/v1/tenants/demo/realms/demo/applications/management/token"
    static let apiToken = "demo-api-token"
    static let managementClient = (id: "management", secret: "demo-secret-management")
    static let authenticatorConfiguration = "demo-authenticator"
    static let bindingPath = "/bind"

    let world: World
    let provider: Provider
    let book: DirectoryBook

    /// `POST /users` of 2021.
    func addUser(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answering(misbehaviours, named: "internal_id") {
            guard isBearer(Self.apiToken, request) else { return .status(.unauthorized) }
            let names = ["binding_token_delivery_method", "external_id", "email", "user_name", "display_name"]
            guard let texts = texts(request, names), texts[0] == "email", texts[2].contains("@") else {
                return .status(.badRequest)
            }
            let account = DirectoryBook.Account(
                id: Random.token(byteCount: 9), externalID: texts[1], subject: texts[3], username: texts[3],
                email: texts[2], displayName: texts[4])
            guard book.add(account) else { return .status(HTTPStatus(409)) }
            mail(account)
            // Half of its servers wrap what they say.
            return .made(
                account.id.utf8.first.map { $0 % 2 == 0 } == true ? [("user", of2021(account))] : members(account))
        }
    }

    /// `POST /recover-user` of 2021.
    func recoverUser(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answering(misbehaviours, named: "internal_id") {
            guard isBearer(Self.apiToken, request) else { return .status(.unauthorized) }
            guard let texts = texts(request, ["binding_token_delivery_method", "external_id"]), texts[0] == "email"
            else { return .status(.badRequest) }
            guard let account = book.account(where: { $0.externalID == texts[1] }) else { return .status(.notFound) }
            mail(account)
            return .made(members(account))
        }
    }

    /// The management client's token (RFC 6749 §4.4).
    func token(_ request: HTTPRequest) -> HTTPResponse {
        let basic = Base64.encode(Array("\(Self.managementClient.id):\(Self.managementClient.secret)".utf8))
        guard request.header("Authorization") == "Basic \(basic)" else {
            return OAuthError("invalid_client", "The client is unknown.", status: .unauthorized).response
        }
        guard Fields(form: request)?["grant_type"] == "client_credentials" else {
            return OAuthError("unsupported_grant_type", "Only client_credentials is supported.").response
        }
        return .object(
            JSONObject([
                ("access_token", .string(book.makeToken(now: World.now))), ("token_type", "Bearer"),
                ("expires_in", .integer(DirectoryBook.tokenLifetime)),
            ]))
    }

    /// `POST /identities`.
    func addIdentity(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answering(misbehaviours, named: "id") {
            guard hasToken(request) else { return .status(.unauthorized) }
            guard let document = try? JSONValue(parsing: request.body), document.object?.members.count == 1,
                let stated = document["identity"], stated.object?.members.count == 2,
                let displayName = stated["display_name"]?.string, !displayName.isEmpty, let traits = stated["traits"],
                traits["type"]?.string == "traits_v0", let username = traits["username"]?.string, !username.isEmpty,
                traits["primary_email_address"].map({ $0.string?.contains("@") == true }) ?? true,
                traits.object?.members.count == (traits["primary_email_address"] == nil ? 2 : 3)
            else { return .status(.badRequest) }
            let id = Random.token(byteCount: 9)
            let account = DirectoryBook.Account(
                id: id, externalID: nil, subject: id, username: username,
                email: traits["primary_email_address"]?.string, displayName: displayName)
            guard book.add(account) else { return .status(HTTPStatus(409)) }
            return .made(identity(account).members)
        }
    }

    /// `GET /identities?filter=traits.username eq "…"`.
    func findIdentities(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answering(misbehaviours, named: "identities") {
            guard hasToken(request) else { return .status(.unauthorized) }
            let start = "traits.username eq "
            guard let filter = Fields(query: request)?["filter"], filter.hasPrefix(start),
                let name = (try? JSONValue(parsing: Array(filter.dropFirst(start.count).utf8)))?.string
            else { return .status(.badRequest) }
            let found = book.accounts.filter { $0.externalID == nil && $0.username.lowercased() == name.lowercased() }
            return .made([
                ("identities", .array(found.map { .object(identity($0)) })),
                ("total_size", .integer(Int64(found.count))),
            ])
        }
    }

    /// `POST /identities/{id}/credential-binding-jobs`.
    func addJob(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> HTTPResponse {
        answering(misbehaviours, named: "credential_binding_link") {
            guard hasToken(request) else { return .status(.unauthorized) }
            let id = request.parameters["id"]
            guard let account = book.account(where: { $0.id == id }) else { return .status(.notFound) }
            guard let job = (try? JSONValue(parsing: request.body))?["job"],
                job["authenticator_config_id"]?.string == Self.authenticatorConfiguration
            else { return .status(.badRequest) }
            var answer: [JSONObject.Member] = [
                ("credential_binding_job", .object(JSONObject([("id", .string(Random.token(byteCount: 9)))])))
            ]
            switch job["delivery_method"]?.string {
            case "EMAIL":
                guard account.email != nil else { return .status(HTTPStatus(422)) }
                mail(account)
            case "RETURN": answer.append(("credential_binding_link", .string(link(account))))
            default: return .status(.badRequest)
            }
            return .made(answer)
        }
    }

    private func answering(
        _ misbehaviours: [Misbehaviour], named name: String, _ respond: () -> DirectoryReply
    ) -> HTTPResponse {
        let misbehaviour = misbehaviours.directory
        if let status = misbehaviour?.status { return DirectoryReply.status(status).response }
        let reply = respond()
        guard case .made(var members) = reply else { return reply.response }
        switch misbehaviour {
        case .withoutID: members.removeAll { $0.name == name || $0.name == "user" }
        case .numericID: members = members.map { $0.name == name || $0.name == "user" ? (name, 7) : $0 }
        default: break
        }
        return DirectoryReply.made(members).response
    }

    private func isBearer(_ token: String, _ request: HTTPRequest) -> Bool {
        request.header("Authorization") == "Bearer \(token)"
    }

    private func hasToken(_ request: HTTPRequest) -> Bool {
        let words = (request.header("Authorization") ?? "").split(separator: " ").map(String.init)
        return words.count == 2 && words[0] == "Bearer" && book.isGood(words[1], now: World.now)
    }

    /// The members of a body that has those, each a text, and no others.
    private func texts(_ request: HTTPRequest, _ names: [String]) -> [String]? {
        guard request.header("Content-Type") == "application/json",
            let object = (try? JSONValue(parsing: request.body))?.object, object.members.count == names.count
        else { return nil }
        let texts = names.compactMap { object[$0]?.string }.filter { !$0.isEmpty }
        return texts.count == names.count ? texts : nil
    }

    private func members(_ account: DirectoryBook.Account) -> [JSONObject.Member] {
        [
            ("internal_id", .string(account.id)), ("external_id", .string(account.externalID ?? "")),
            ("email", .string(account.email ?? "")), ("user_name", .string(account.username)),
            ("display_name", .string(account.displayName)), ("date_created", "2021-03-24T16:18:26Z"),
            ("date_modified", "2021-03-24T16:18:26Z"), ("status", "ACTIVE"),
        ]
    }

    private func of2021(_ account: DirectoryBook.Account) -> JSONValue { .object(JSONObject(members(account))) }

    private func identity(_ account: DirectoryBook.Account) -> JSONObject {
        var traits = JSONObject([("type", "traits_v0"), ("username", .string(account.username))])
        traits.append("primary_email_address", ifPresent: account.email)
        return JSONObject([
            ("id", .string(account.id)), ("realm_id", "demo"), ("tenant_id", "demo"),
            ("display_name", .string(account.displayName)), ("traits", .object(traits)),
        ])
    }

    private func mail(_ account: DirectoryBook.Account) {
        if let email = account.email { book.send(link(account), to: email) }
    }

    private func link(_ account: DirectoryBook.Account) -> String {
        "\(world.url(provider.issuer))\(Self.bindingPath)?token=\(book.makeBinding(of: account.id))"
    }
}

/// What one of the APIs says.
enum DirectoryReply {
    case made([JSONObject.Member])
    case status(HTTPStatus)

    var response: HTTPResponse {
        switch self {
        case .made(let members): .object(JSONObject(members))
        case .status(let status):
            .object(
                JSONObject([("code", .string("error_\(status.code)")), ("message", "The directory says no.")]),
                status: status)
        }
    }
}
