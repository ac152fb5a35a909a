/// A live session with its user.
public struct SessionHolder: Equatable, Sendable {
    public let session: Session
    public let user: User

    public init(session: Session, user: User) {
        (self.session, self.user) = (session, user)
    }
}
