import Apps
import Crypto
import HTTPServer
import HTTPTesting
import JSON
import Providers
import Syntax
import TestSupport
import Testing

@testable import WebAPI

/// A browser that signs its user in, at a service with six apps and two providers.
struct BrowserStage {
    static let acme = "https://acme.example/cb"
    /// As TIM's samples have theirs.
    static let tim = "acme:/"
    static let verifier = String(repeating: "v", count: 43)
    static let challenge = Base64URL.encode(Digest.sha256.hash(verifier.utf8.span))

    /// It is another text once a form is decoded.
    static let webSecret = "web+secret%3D"

    static let apps = AppRegistry(
        [
            app("acme", [acme, "https://acme.example/other?x=1"], otherBrowser: .confirm),
            app("desk", ["http://127.0.0.1/cb", "org.acme.desk:/cb"], providers: ["zenkey"]),
            app(
                "web", ["https://web.example/cb"], secret: webSecret, origins: ["https://web.example"],
                idTokenAlgorithm: .es256),
            app(
                "tim", [tim],
                rights: RegisteredApp.Rights(permissions: .everything, offlineAccess: .always),
                refreshTokens: RegisteredApp.RefreshTokens(
                    use: .reusable, inactivitySeconds: 86_400, absoluteSeconds: 200_000)),
            app("notes", ["https://notes.example/cb"], consent: .explicit),
            app("bank", ["https://bank.example/cb"], consent: .systematic),
        ], resourceServers: [ResourceServer(id: "api", secret: Secret("api secret"))])

    /// Those of apps that the operator trusts with accounts.
    static let ofOperator = RegisteredApp.Rights(permissions: .everything, grants: RegisteredApp.GrantType.allCases)

    private static func app(
        _ name: String, _ redirectURIs: [String], secret: String? = nil, providers: [String] = [],
        origins: [String] = [], otherBrowser: RegisteredApp.OtherBrowser = .refuse,
        consent: RegisteredApp.Consent = .implicit,
        idTokenAlgorithm: SigningAlgorithm = .rs256, rights: RegisteredApp.Rights = ofOperator,
        refreshTokens: RegisteredApp.RefreshTokens = RegisteredApp.RefreshTokens()
    ) -> RegisteredApp {
        RegisteredApp(
            name: name, clientID: "\(name)-id", secret: secret.map { Secret($0) },
            redirectURIs: redirectURIs.map { RedirectURI($0) }, providers: providers, origins: origins,
            postLogoutRedirectURIs: [RedirectURI("https://\(name).example/bye")], otherBrowser: otherBrowser,
            consent: consent,
            idTokenAlgorithm: idTokenAlgorithm, refreshTokens: refreshTokens, rights: rights)
    }

    static let associationFiles = AssociationFiles(
        apple: Array(#" {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}\#n"#.utf8),
        android: Array(#"[ {"relation": ["delegate_permission/common.handle_all_urls"]} ]"#.utf8))

    let api: APIStage
    /// What the browser is known again by, a cookie for each sign-in, which it sends along once it has got it.
    var cookie: String?
    /// The same of the apps that its user has confirmed.
    var confirmedApps: String?

    init(apiKeys: [String] = [], perMinute: Int = 0, _ change: (inout ProviderConfiguration) -> Void = { _ in })
        async throws
    {
        api = try await APIStage(
            apiKeys: apiKeys, perMinute: perMinute, apps: Self.apps, others: [.openID { $0.clientID = "other-client" }],
            associationFiles: Self.associationFiles, change)
    }

    /// A browser at a service that is there.
    init(of api: APIStage) {
        self.api = api
    }

    /// A request of the app named acme that signs in with ZenKey, changed; nil takes a parameter away.
    static func request(_ changes: [String: String?] = [:]) -> [(String, String)] {
        var parameters: [String: String?] = [
            "client_id": "acme-id", "redirect_uri": acme, "response_type": "code", "code_challenge": challenge,
            "code_challenge_method": "S256", "scope": "openid profile email offline_access", "state": "app-state",
            "nonce": "app-nonce", "provider": "zenkey", "mccmnc": "310260",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 }
    }

    /// Goes somewhere, with the cookie that it has.
    mutating func visit(
        _ path: String, _ fields: [(String, String)] = [], method: HTTPMethod = .get, headers: [(String, String)] = []
    ) async -> HTTPTestAnswer {
        let headers = headers + [cookie, confirmedApps].compactMap(\.self).map { ("Cookie", $0) }
        let answer: HTTPTestAnswer
        if method == .post {
            answer = await api.post(path, form: FormText.encode(fields), headers: headers)
        } else {
            answer = await api.send(method, path, query: FormText.encode(fields), headers: headers)
        }
        let (ofApps, ofAccounts) = ("gatehouse-apps=", "gatehouse-account=")
        let cookies = answer.headers.filter { $0.name == "Set-Cookie" }
        if let set = cookies.first(where: { $0.value.contains(ofApps) }) {
            confirmedApps = String(set.value.prefix { $0 != ";" })
        }
        cookie = HTTPTestAnswer(
            status: answer.status,
            headers: cookies.filter { !$0.value.contains(ofApps) && !$0.value.contains(ofAccounts) }, body: []
        ).cookies(after: cookie)
        return answer
    }

    /// Presses "yes" on a page that asks, with all that its form has.
    mutating func sayYes(on page: HTTPTestAnswer, with provider: String = "zenkey") async throws -> HTTPTestAnswer {
        let forms = page.text.split(separator: "<form ")
        let form = try #require(forms.first { $0.contains("\"/auth/\(provider)/confirm\"") } ?? forms.last)
        let fields = form.matches(of: /name="([^"]+)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
        return await visit(
            "/auth/\(provider)/confirm", fields, method: .post, headers: [("Origin", "null")])
    }

    /// Presses "no" on a page that asks whether an app may have what it asks for.
    mutating func sayNo(on page: HTTPTestAnswer, with provider: String = "zenkey") async throws -> HTTPTestAnswer {
        let form = try #require(page.text.split(separator: "<form ").last)
        let fields = form.matches(of: /name="([^"]+)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
        try #require(fields.contains { $0.0 == "gatehouse_declined" })
        return await visit(
            "/auth/\(provider)/confirm", fields, method: .post, headers: [("Origin", "null")])
    }

    /// Asks to sign in, says yes where the app can be imitated, and goes to the provider.
    ///
    /// - Returns: what the provider was asked.
    mutating func begin(_ changes: [String: String?] = [:]) async throws -> Location {
        let answer = await visit("/auth/authorize", Self.request(changes))
        guard answer.status == 200 else { return try Location(of: answer) }
        return try Location(of: try await sayYes(on: answer))
    }

    /// The carrier lets its user in, and sends the browser back.
    mutating func comeBack(
        from request: Location, provider: String = "zenkey", _ changes: [String: String?] = [:],
        with others: [(String, JSONValue)] = [], token: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> HTTPTestAnswer {
        let idToken = try api.stage.carrier.idToken {
            $0.claims[setting: "nonce"] = request["nonce"].map { .string($0) }
            token(&$0)
        }
        var tokens = JSONObject([
            ("access_token", "access"), ("token_type", "Bearer"), ("id_token", .string(idToken)),
        ])
        for (name, value) in others { tokens.append(name, value) }
        api.stage.transport.answer(api.stage.carrier.tokenEndpoint, json: .object(tokens))
        var answer: [String: String?] = [
            "code": "carrier-code-\(Random.token(byteCount: 8))", "state": request["state"],
        ]
        for (name, value) in changes { answer[name] = value }
        return await visit(
            "/auth/\(provider)/callback", answer.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Signs in, up to the code that the app gets.
    mutating func code(_ changes: [String: String?] = [:]) async throws -> String {
        let answer = try Location(of: try await comeBack(from: begin(changes)))
        return try #require(answer["code"])
    }

    /// The app redeems its code.
    func redeem(_ code: String, _ changes: [String: String?] = [:], headers: [(String, String)] = []) async
        -> HTTPTestAnswer
    {
        var parameters: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.acme, "client_id": "acme-id",
            "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { parameters[name] = value }
        let fields = parameters.compactMap { name, value in value.map { (name, $0) } }
        return await api.post("/auth/token", form: FormText.encode(fields), headers: headers)
    }

    static func basic(_ id: String, _ secret: String) -> [(String, String)] {
        [("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))]
    }
}

/// Where a browser is sent.
struct Location {
    let base: String
    private let fields: FormFields

    init(of answer: HTTPTestAnswer) throws {
        #expect(answer.status == 303)
        try self.init(try #require(answer.header("location")))
    }

    init(_ text: String) throws {
        let parts = text.split(separator: "?", maxSplits: 1)
        base = String(parts[0])
        let query = parts.count > 1 ? Array(parts[1].utf8) : []
        fields = try FormFields(parsing: query.span, limit: 64)
    }

    subscript(name: String) -> String? { fields[name] }
    var names: [String] { fields.fields.map(\.name).sorted() }
}
