public import SignIn

extension Sessions {
    /// The next tokens of a session, asked for nothing in particular.
    ///
    /// - Parameter token: nil as little as an empty one is anybody's.
    public func refresh(_ token: String?) async throws(ServiceError) -> TokenIssuer.Tokens {
        try await refresh(token ?? "", for: RequestedAccess(scope: nil, resource: nil))
    }
}
