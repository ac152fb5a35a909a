/// A method and a path, and what answers it.
public struct Route: Sendable {
    public let method: HTTPMethod
    /// Such as `/users/me/identities/{identity_id}`: a segment in braces matches any one segment that is not empty.
    public let pattern: String
    public let endpoint: @Sendable (HTTPRequest) async -> HTTPResponse

    public init(
        _ method: HTTPMethod, _ pattern: String, _ endpoint: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.method = method
        self.pattern = pattern
        self.endpoint = endpoint
    }
}
