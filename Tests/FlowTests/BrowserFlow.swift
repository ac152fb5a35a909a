import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

/// A browser, and the app that it signs its user in to, over real sockets.
struct BrowserFlow {
    /// What the service is called towards browsers. Nothing listens there: the test takes each address to where the
    /// service is.
    static let issuer = RunningGatehouse.browserOrigin
    static let redirectURI = "https://desk.example/cb"
    static let configuration = """
        session: {issuer: '\(issuer)'}
        apps: [desk, web]
        app:
          desk: {clientID: desk, redirectURIs: ['https://desk.example/cb', 'http://127.0.0.1/cb'], \(trusted)}
          web: {clientID: web, redirectURIs: ['https://web.example/cb'], secret: secret-of-the-web-app, \(trusted)}
        """
    /// What the operator gives apps of their own, which ask for nothing of it. Their ID tokens are signed with the key
    /// of access tokens: to make one of RSA takes a server longer than most tests take.
    static let trusted = """
        idTokenAlgorithm: ES256, \
        scopes: [openid, profile, email, phone, address, postal_code, claims, \(account)], \
        impliedScopes: [\(account)], \
        grants: [authorization_code, refresh_token, token_exchange]
        """
    private static let account = """
        offline_access, account.read, account.write, account.sessions, account.identities, account.erase, transactions
        """

    let gatehouse: RunningGatehouse
    let verifier = Authorized.makeVerifier()
    /// All that it has, as it sends them along.
    var cookie: String?
    /// Where the service listens, if it is another one with the same carriers.
    var port: UInt16?

    init(_ gatehouse: RunningGatehouse) {
        self.gatehouse = gatehouse
    }

    static func with(
        latency: Duration = .zero, zenkey: [String] = [], _ body: (RunningGatehouse) async throws -> Void
    ) async throws {
        try await RunningGatehouse.with(top: configuration, zenkey: zenkey, latency: latency, body)
    }

    /// What the app asks, changed.
    func request(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "client_id": "desk", "redirect_uri": Self.redirectURI, "response_type": "code", "state": "app-state",
            "nonce": "app-nonce", "scope": "openid profile email", "provider": "zenkey",
            "mccmnc": gatehouse.simulation.mccmnc(of: .aurora) ?? "", "prompt": "none", "login_hint": "ada",
            "code_challenge": Authorized.challenge(verifier), "code_challenge_method": "S256",
        ].merging(changes) { $1 }
    }

    /// Goes to the service.
    mutating func visit(_ path: String, form: [String: String]? = nil) async throws -> HTTPTestAnswer {
        var headers = cookie.map { ["Cookie": $0] } ?? [:]
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        let answer = try await LoopbackClient(port: port ?? gatehouse.port).send(
            form == nil ? "GET" : "POST", path, headers: headers,
            body: form.map { Array(FormText.encode($0).utf8) })
        cookie = answer.cookies(after: cookie)
        return answer
    }

    /// Begins, and goes on to the provider.
    ///
    /// - Returns: where the provider sends the browser back to.
    mutating func throughProvider(_ changes: [String: String] = [:]) async throws -> URLComponents {
        try Self.location(of: try await atProvider(changes))
    }

    /// Begins, and goes on to a provider that answers by a form.
    ///
    /// - Returns: what the provider's page lets the browser post.
    mutating func formOfProvider(_ changes: [String: String] = [:]) async throws -> BrowserForm {
        try BrowserForm(on: try await atProvider(changes).text)
    }

    private mutating func atProvider(_ changes: [String: String]) async throws -> HTTPTestAnswer {
        let begun = try await visit("/auth/authorize?" + FormText.encode(request(changes)))
        #expect(begun.status == 303, "\(begun.text)")
        var provider = try Self.location(of: begun)
        // The user who is asked there says yes at once.
        if provider["prompt"] == nil { provider = provider.changing("prompt", to: "none") }
        let port = try #require(provider.port)
        return try await LoopbackClient(port: UInt16(port)).send(
            "GET", "\(provider.path)?\(provider.percentEncodedQuery ?? "")")
    }

    /// Comes back from another site by a form, without the cookie, and once more from our page, with it.
    ///
    /// - Returns: the app's code.
    mutating func code(posting form: BrowserForm) async throws -> String {
        let kept = cookie
        cookie = nil
        let page = try await visit(form.path, form: form.fields)
        #expect(page.status == 200, "\(page.text)")
        cookie = kept
        let own = try BrowserForm(on: page.text)
        let location = try Self.location(of: try await visit(own.path, form: own.fields))
        return try #require(location["code"], "\(location)")
    }

    /// Comes back where the provider has sent it.
    mutating func comeBack(_ address: URLComponents) async throws -> HTTPTestAnswer {
        try await visit("\(address.path)?\(address.percentEncodedQuery ?? "")")
    }

    /// Signs in, up to the app's code.
    mutating func code(_ changes: [String: String] = [:]) async throws -> String {
        let answer = try await comeBack(throughProvider(changes))
        #expect(answer.status == 303, "\(answer.text)")
        let location = try Self.location(of: answer)
        return try #require(location["code"], "\(location)")
    }

    func redeem(_ code: String, _ changes: [String: String] = [:]) async throws -> HTTPTestAnswer {
        try await gatehouse.call(
            "POST", "/auth/token",
            form: [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
                "client_id": "desk", "code_verifier": verifier,
            ].merging(changes) { $1 }, at: port)
    }

    static func location(of answer: HTTPTestAnswer) throws -> URLComponents {
        let address = try #require(answer.header("location"), "\(answer.status) \(answer.text)")
        return try #require(URLComponents(string: address))
    }
}

/// A form that a page posts by itself.
struct BrowserForm {
    let path: String
    var fields: [String: String]

    init(on page: String) throws {
        let action = try #require(page.firstMatch(of: /action="([^"]*)"/)?.1, "\(page)")
        path = try #require(URLComponents(string: Self.unescaped(action))?.path)
        let inputs = page.matches(of: /name="([a-z_]+)" value="([^"]*)"/)
        fields = Dictionary(inputs.map { (String($0.1), Self.unescaped($0.2)) }) { first, _ in first }
    }

    init(path: String, fields: [String: String]) {
        self.path = path
        self.fields = fields
    }

    private static func unescaped(_ text: Substring) -> String {
        let entities = ["&quot;": "\"", "&#34;": "\"", "&#39;": "'", "&lt;": "<", "&gt;": ">"]
        return entities.reduce(String(text)) { $0.replacing($1.key, with: $1.value) }.replacing("&amp;", with: "&")
    }
}

extension URLComponents {
    /// What a form would post that has the same in it.
    var form: BrowserForm {
        BrowserForm(
            path: path, fields: Dictionary((queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first })
    }

    subscript(name: String) -> String? { queryItems?.first { $0.name == name }?.value }

    func changing(_ name: String, to value: String?) -> URLComponents {
        var changed = self
        changed.queryItems?.removeAll { $0.name == name }
        if let value { changed.queryItems?.append(URLQueryItem(name: name, value: value)) }
        return changed
    }
}
