/// A user's number in this installation: the `user_id` of the API and the `sub` of our own session tokens.
///
/// It is never given to another user, not even after the user was erased.
public struct UserID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public var description: String { "\(rawValue)" }
}

/// The number of one identity of one user; an identity that took another's place has a number of its own.
public struct IdentityID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public var description: String { "\(rawValue)" }
}
