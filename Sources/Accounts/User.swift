/// A user as stored.
public struct User: Equatable, Sendable {
    public var id: UserID
    /// What apps see where stock clients expect a `sub` of the carrier: random, made with the user, opening nothing.
    public var reference: String
    public var profile: Profile
    /// Seconds since 1970.
    public var createdAt: Int64
    /// When the profile last changed, in seconds since 1970.
    public var updatedAt: Int64

    public init(id: UserID, reference: String, profile: Profile, createdAt: Int64, updatedAt: Int64) {
        (self.id, self.reference, self.profile, self.createdAt) = (id, reference, profile, createdAt)
        self.updatedAt = updatedAt
    }
}

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
