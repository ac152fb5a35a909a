internal import Accounts
internal import HTTPServer
internal import SignIn

extension HTTPRequest {
    /// The bearer token of the Authorization header (RFC 6750 §2.1); nil when there is none.
    var bearerToken: String? {
        guard let field = header("authorization") else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

extension Sessions {
    /// The live session that a request is made under.
    ///
    /// - Throws: `ServiceError.invalidToken`, `.storageUnavailable`.
    func session(of request: HTTPRequest) async throws(ServiceError) -> Session {
        guard let token = request.bearerToken else { throw .invalidToken }
        return try await session(of: token)
    }
}
