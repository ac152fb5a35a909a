import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gatehouse's API: requests, and what their answers mean.
struct API: Sendable {
    /// An answer whose body is a JSON object, or nothing.
    struct Answer {
        let response: HTTPURLResponse
        /// As it came.
        let data: Data
        let body: [String: Any]

        var status: Int { response.statusCode }
        var isGood: Bool { (200..<300).contains(status) }
        /// Whether it says for good that a session is over.
        var endsSession: Bool { (400..<500).contains(status) && body["error"] as? String == "invalid_grant" }
        /// Whether another access token may help. A refusal by another name is about what was posted, which may be good
        /// for one use.
        var asksForAnotherToken: Bool {
            API.asksForAnotherToken(response) && ["invalid_token", nil].contains(body["error"] as? String)
        }
        /// Whether the same request may fare better later.
        var isPassing: Bool { status >= 500 || status == 429 || status == 408 }

        /// - Throws: `GatehouseError.unreachable` for what is not what the API says: something on the way has spoilt
        ///   it.
        func decoded<Value: Decodable>() throws -> Value {
            guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
                throw GatehouseError.unreachable
            }
            return value
        }

        /// Whether the user may not sign in at all.
        var isLocked: Bool { body["error_code"] as? String == "locked" }

        var refusal: GatehouseError {
            if isLocked { return .locked }
            return .refused(
                status: status, code: body["error"] as? String ?? "",
                description: body["error_description"] as? String ?? "")
        }
    }

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

    func request(_ method: String, _ path: String, json: [String: Any]? = nil, bearer: String? = nil) throws
        -> URLRequest
    {
        var request = URLRequest(url: base.appendingPathComponent(path))
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let apiKey { request.setValue(apiKey, forHTTPHeaderField: "X-API-KEY") }
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: json)
        }
        return request
    }

    /// - Returns: nil where no answer came, or none that can be read: the request may have been heard all the same.
    func send(_ request: URLRequest) async -> Answer? {
        guard let (body, response) = try? await transport.send(request) else { return nil }
        let object = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        // A proxy's page tells of the proxy; a refusal without a reason is none of the API's.
        let isEnough = object != nil || response.statusCode == 204 || (400..<500).contains(response.statusCode)
        return isEnough ? Answer(response: response, data: body, body: object ?? [:]) : nil
    }
}

extension StoredSession {
    /// The session of a sign-in or a refresh.
    ///
    /// - Parameter now: when the request was sent, so that a slow answer makes no token last longer.
    /// - Returns: nil for what lacks a token.
    init?(_ answer: API.Answer, now: Date) {
        guard let accessToken = answer.body["access_token"] as? String,
            let refreshToken = answer.body["refresh_token"] as? String,
            let seconds = answer.body["expires_in"] as? Int, let user = Self.subject(of: accessToken)
        else { return nil }
        self.init(
            user: user, accessToken: accessToken, expiresAt: now.addingTimeInterval(TimeInterval(seconds)),
            refreshToken: refreshToken)
    }

    /// The `sub` of an access token, which is the user's number at Gatehouse.
    private static func subject(of token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var payload = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let claims = Data(base64Encoded: payload).flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (claims as? [String: Any])?["sub"] as? String
    }
}
