import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers

/// A sign-in through the browser, for an app that has registered here: each step may go to another server, and each may
/// fail, after which people begin anew.
struct BrowserSignIn {
    static let client = "desk"
    private static let redirectURI = "https://desk.example/cb"
    /// What the configuration has for it.
    static let configuration = """
        apps: [\(client)]
        app:
          \(client):
            clientID: \(client)
            redirectURIs: ['\(redirectURI)']
            scopes: [openid, \(rights)]
            impliedScopes: [\(rights)]
            grants: [authorization_code, refresh_token]
        """
    private static let rights = """
        offline_access, account.read, account.write, account.sessions, account.identities, account.erase
        """

    let app: App
    let simulation: Simulation
    private let verifier = Authorized.makeVerifier()

    init(app: App, simulation: Simulation) { (self.app, self.simulation) = (app, simulation) }

    /// - Returns: the app's code; nil where something has gone wrong on the way.
    func code(for subscriber: String, at carrier: SimulatedIssuer) async -> String? {
        var cookie: String?
        let query = [
            "client_id": Self.client, "redirect_uri": Self.redirectURI, "response_type": "code", "state": "s",
            "scope": "openid", "provider": "zenkey", "mccmnc": simulation.mccmnc(of: carrier) ?? "", "prompt": "none",
            "login_hint": subscriber, "code_challenge": Authorized.challenge(verifier),
            "code_challenge_method": "S256",
        ]
        guard let begun = await visit("/auth/authorize?" + FormText.encode(query), &cookie),
            let provider = URLComponents(string: begun), let port = provider.port.flatMap({ UInt16(exactly: $0) }),
            let approved = try? await LoopbackClient(port: port).send(
                "GET", "\(provider.path)?\(provider.percentEncodedQuery ?? "")"),
            let back = approved.header("location").flatMap({ URLComponents(string: $0) }),
            let end = await visit("\(back.path)?\(back.percentEncodedQuery ?? "")", &cookie)
        else { return nil }
        return URLComponents(string: end)?.queryItems?.first { $0.name == "code" }?.value
    }

    /// - Returns: where the browser is sent; nil where it is not sent on.
    private func visit(_ path: String, _ cookie: inout String?) async -> String? {
        let answer = try? await LoopbackClient(port: Draw.one(of: app.ports)).send(
            "GET", path, headers: cookie.map { ["Cookie": $0] } ?? [:])
        guard let answer else { return nil }
        cookie = answer.cookies(after: cookie)
        return answer.header("location")
    }

    /// What the app posts for its code.
    func redemption(of code: String) -> [String: String] {
        [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
            "client_id": Self.client, "code_verifier": verifier,
        ]
    }
}

extension Simulation {
    /// What a provider's SDK hands to an app.
    ///
    /// - Parameter nonce: what the app has drawn; the token has its hash.
    /// - Returns: the ID token.
    func idToken(for subscriber: String, at issuer: SimulatedIssuer, nonce: String) async throws -> String? {
        let server = Self.serverClient(at: issuer)
        let fields = [
            "login_hint": subscriber, "client_id": Self.appClients(at: issuer).first ?? server,
            "nonce": Authorized.hexadecimalHash(nonce), "server_client_id": server,
        ]
        guard let url = URLComponents(string: url(of: issuer)), let port = url.port.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        let answer = try await LoopbackClient(port: port).send(
            "POST", "\(url.path)/native", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormText.encode(fields).utf8))
        return answer.json["id_token"]?.string
    }
}
