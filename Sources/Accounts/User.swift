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
        self.id = id
        self.reference = reference
        self.profile = profile
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
