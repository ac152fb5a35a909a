public import Accounts

extension CorrelationHash {
    /// - Parameter name: what a sign-in is called in logs.
    /// - Returns: nil for what none can be called.
    public init?(naming name: String) {
        guard let name = try? AuthorizedResponse.checked(correlationID: name), !name.isEmpty else { return nil }
        self.init(TokenHash(sha256: name))
    }
}
