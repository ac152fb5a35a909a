/// Everything that a user's own session may do which could take the account over or lock its owner out.
///
/// This is the one list. The transaction that does such a thing names its act, so one that comes later does not compile
/// before this says what it takes.
public enum SensitiveAct: CaseIterable, Sendable {
    /// Ends sessions other than the one it is done under.
    case signOutOthers
    /// Takes an identity away, other than the one it is done by.
    case unlink
    /// Takes away the identity that it is done by.
    case unlinkItself
    /// Erases the user.
    case erase
    /// Adds an identity.
    case link
    /// Makes one account of two, of either of them.
    case merge
    /// Gets a credential for the user's account in a provider's directory.
    case bindCredential
    /// Changes an e-mail address or a telephone number.
    case changeContact
    case changeUsername

    /// Whether it only ends something, so that an answer to our challenge shows enough where the provider tells no time
    /// of authentication. What adds something, or changes how the user is reached, takes more: anyone who has a browser
    /// in which the user is signed in at the provider has such an answer.
    var onlyEnds: Bool {
        switch self {
        case .signOutOthers, .unlink, .unlinkItself, .erase: true
        case .link, .merge, .bindCredential, .changeContact, .changeUsername: false
        }
    }

    /// Whether an identity on probation may not do it. One that takes itself away opens nothing to anybody.
    var isClosedToNewIdentities: Bool {
        switch self {
        case .unlinkItself: false
        case .signOutOthers, .unlink, .erase, .link, .merge, .bindCredential, .changeContact, .changeUsername: true
        }
    }
}
