/// Why the client could not do what it was asked. No case holds a token, or anything of the user.
public enum GatehouseError: Error, Equatable, Sendable {
    /// The address is neither https nor of this machine.
    case insecureAddress
    /// The token is for the service, and for the servers that the session was made with.
    case unnamedServer
    /// Nobody is signed in, or no longer: the user has to sign in again.
    case notSignedIn
    /// No answer came, or none that is whole. The session stays; the same may be tried later.
    case unreachable
    /// The account is locked: signing in again does not help. Where there was a session, it has ended.
    case locked
    /// The server has refused: the status, the API's `error` and `error_description`.
    case refused(status: Int, code: String, description: String)
    /// The answer is about another user than the session's, and was not taken; or another process has signed somebody
    /// else in meanwhile, whose session is the one from now on.
    case anotherUser
    /// The store has failed. A session that was refreshed goes on as long as the process lives, and keeping it is tried
    /// again.
    case notStored
}
