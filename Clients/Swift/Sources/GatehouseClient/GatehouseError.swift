/// Why the client could not do what it was asked. Printing one shows neither a token nor anything of the user.
public enum GatehouseError: Error, Equatable, Sendable {
    /// The address is neither https nor of this machine.
    case insecureAddress
    /// The token is for the service, and for the servers that the session was made with.
    case unnamedServer
    /// Nobody is signed in, or no longer: the user has to sign in again.
    case notSignedIn
    /// No answer came, or none that is whole. The session stays; the same may be tried later.
    case unreachable
    /// The account, or the identity that was shown, is locked: signing in again does not help, so tell the user to ask
    /// the people who run the app. Thrown by a refresh, and so by anything that takes a token, it has ended the
    /// session, which stays over when the lock ends.
    case locked
    /// Nobody has this identity yet, and registration is by ticket: `register(ticket:)` makes a user of it, or
    /// `link(ticket:)` adds it to the one who is signed in.
    case unlinkedUser(UnlinkedUser)
    /// No carrier serves that mobile network, or the user's carrier knows them no more: let the user choose one on the
    /// page, where there is one, and sign in again with the network that comes back.
    case providerNotFound(discoveryUI: DiscoveryUI?)
    /// The session is good, and its user authenticated too long ago for this. Let them sign in again, with the
    /// `max_age`, in seconds, and the `acr_values` that are told here (RFC 9470 §3), and do it once more.
    case insufficientUserAuthentication(maximumAge: Int?, acrValues: String?)
    /// The sign-in through the browser has brought no refresh token, and was given up: the app has to ask for
    /// `offline_access`, or its section to have `offlineAccess: always`.
    case notRenewable
    /// The server has refused: the status, the API's `error` and `error_description`.
    case refused(status: Int, code: String, description: String)
    /// The answer is about another user than the session's, and was not taken; or another process has signed somebody
    /// else in meanwhile, whose session is the one from now on.
    case anotherUser
    /// The store has failed. A session that was refreshed goes on as long as the process lives, and keeping it is tried
    /// again.
    case notStored
}
