/// A live session with its user.
public struct AuthenticatedUser: Equatable, Sendable {
    public let session: Session
    public let user: User

    public init(session: Session, user: User) {
        (self.session, self.user) = (session, user)
    }
}
