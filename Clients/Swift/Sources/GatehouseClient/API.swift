import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gatehouse's API: requests, and what their answers mean.
struct API: Sendable {
    let base: URL
    let servers: [URL]
    let transport: any Transport
    let apiKey: String?

    /// - Throws: `GatehouseError.insecureAddress`.
    init(base: URL, servers: [URL], transport: any Transport, apiKey: String?) throws {
        guard ([base] + servers).allSatisfy(Self.isSecure) else { throw GatehouseError.insecureAddress }
        self.base = base
        self.servers = servers
        self.transport = transport
        self.apiKey = apiKey
    }

    static func isSecure(_ url: URL) -> Bool {
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(url.host ?? "")
        return url.scheme == "https" || (url.scheme == "http" && isLoopback)
    }

    /// Whether an address is of the service's server, or of another that was named.
    func mayGetTokens(_ url: URL) -> Bool {
        ([base] + servers).contains { Self.origin($0) == Self.origin(url) }
    }

    /// Scheme, host and port (RFC 6454 §4).
    private static func origin(_ url: URL) -> [String] {
        let scheme = url.scheme?.lowercased() ?? ""
        return [scheme, url.host?.lowercased() ?? "", "\(url.port ?? (scheme == "https" ? 443 : 80))"]
    }

    /// Whether an answer is a 401 that names the access token, or nothing (RFC 6750 §3.1).
    static func asksForAnotherToken(_ response: HTTPURLResponse) -> Bool {
        guard response.statusCode == 401 else { return false }
        let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        return !challenge.contains("error=") || challenge.contains("error=\"invalid_token\"")
    }

    func request(_ method: String, _ path: String, json: [String: String]? = nil) -> URLRequest {
        var request = URLRequest(url: base.appendingPathComponent(path))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let apiKey { request.setValue(apiKey, forHTTPHeaderField: "X-API-KEY") }
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            // Every text can be written.
            request.httpBody = try? JSONEncoder().encode(json)
        }
        return request
    }

    /// - Returns: nil where no answer came, or none that can be read: the request may have been heard all the same.
    func send(_ request: URLRequest) async -> Answer? {
        guard let (body, response) = try? await transport.send(request) else { return nil }
        let value = try? JSONSerialization.jsonObject(with: body)
        // A proxy's page tells of the proxy; a refusal without a reason is none of the API's.
        let isEnough = value != nil || response.statusCode == 204 || (400..<500).contains(response.statusCode)
        return isEnough ? Answer(response: response, data: body, body: value as? [String: Any] ?? [:]) : nil
    }

    /// A claim of a JWT of the service's: `sub` is the user's number, `sid` the session's name. Read, not verified; it
    /// tells a mistaken answer.
    static func claim(_ name: String, of token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var payload = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let claims = Data(base64Encoded: payload).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (claims as? [String: Any])?[name] as? String
    }
}

extension StoredSession {
    /// The session of a sign-in or a refresh.
    ///
    /// - Parameters:
    ///   - now: when the request was sent, so that a slow answer makes no token last longer.
    ///   - clientID: of the app that signed in through the browser; nil for who posts codes.
    /// - Returns: nil for what lacks a token.
    init?(_ answer: API.Answer, now: Date, clientID: String?) {
        guard let accessToken = answer.body["access_token"] as? String,
            let refreshToken = answer.body["refresh_token"] as? String,
            let seconds = answer.body["expires_in"] as? Int,
            // The refresh token has the number beside a `sub` that is none.
            let user = API.claim("uid", of: refreshToken) ?? API.claim("sub", of: accessToken)
        else { return nil }
        self.init(
            user: user, accessToken: accessToken, expiresAt: now.addingTimeInterval(TimeInterval(seconds)),
            refreshToken: refreshToken, clientID: clientID)
    }
}
