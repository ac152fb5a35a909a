internal import HTTPServer

extension HTTPRequest {
    /// The bearer token of the Authorization header (RFC 6750 §2.1); nil when there is none.
    var bearerToken: String? {
        guard let field = header("authorization") else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
