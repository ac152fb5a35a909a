/// What somebody has said who wants an account at a provider that keeps a directory of users, or a new credential
/// there.
public struct ProvisioningRequest: Equatable, Sendable {
    public enum Kind: String, Sendable {
        case signUp = "sign-up"
        case recovery
    }

    public var kind: Kind
    /// As it was given; nil where the address has to do.
    public var username: String?
    public var email: String?
    public var displayName: String?

    public init(_ kind: Kind, username: String?, email: String?, displayName: String?) {
        (self.kind, self.username, self.email, self.displayName) = (kind, username, email, displayName)
    }

    /// What the account is called: its username, else its address.
    public var name: String? { username ?? email }

    /// An address as mails to it are counted: in small letters, and without what stands behind a plus sign, for all of
    /// those reach one person.
    package static func recipient(_ email: String) -> [UInt8] {
        let bytes = normalized(email)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return bytes }
        let end = bytes[..<at].firstIndex(of: UInt8(ascii: "+")) ?? at
        return Array(bytes[..<end] + bytes[at...])
    }

    /// Names are compared without regard to the case of ASCII letters, and otherwise as they are.
    public static func normalized(_ text: String) -> [UInt8] {
        text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }

    /// What a user made of it has said themselves.
    public var own: Attributes {
        var attributes = Attributes()
        attributes["username"] = username
        attributes["email"] = email
        attributes["name"] = displayName
        return attributes
    }
}

/// A request that waits to be passed on, as what a provider is yet to be told (``OutboxMessage``).
public struct DirectoryOrder: Equatable, Sendable {
    public var provisioning: ProvisioningRequest
    /// The configured name of the provider.
    public var provider: String
    /// Where its directory is: what has moved elsewhere since gets nothing.
    public var url: String
    /// Who asked for it.
    public var network: NetworkHash

    public init(_ provisioning: ProvisioningRequest, provider: String, url: String, network: NetworkHash = .none) {
        (self.provisioning, self.provider, self.url, self.network) = (provisioning, provider, url, network)
    }
}

/// The queue of requests, in which each network waits behind its own: the second of one comes when the first of every
/// other has come.
package enum DirectoryQueue {
    /// What part one network may hold where the queue is half full, a /48 where it is of IPv6: a twentieth.
    private static let shares: Int64 = 20
    /// What one network may hold in any case.
    private static let leastShare: Int64 = 4

    /// Whether one more may wait.
    ///
    /// - Parameters:
    ///   - waiting: how many there are.
    ///   - held: how many of them are of the same network.
    package static func takes(waiting: Int64, held: Int64, maximum: Int64) -> Bool {
        waiting < (held < max(leastShare, maximum / shares) ? maximum : maximum / 2)
    }
}

/// What a directory calls a user of ours: random, made for this alone, and never our own number, for others may have
/// put numbers of theirs into the same directory.
public struct DirectoryName: Equatable, Sendable {
    public var externalID: String
    /// By which a sign-in finds it.
    public var hash: TokenHash

    public init(externalID: String, hash: TokenHash) {
        (self.externalID, self.hash) = (externalID, hash)
    }
}

/// A user's account in a provider's directory, as far as it is known here.
public struct DirectoryAccount: Equatable, Sendable {
    public var user: UserID
    public var provider: String
    public var externalID: String
    /// The directory's own name for it; nil until it has told one.
    public var directoryID: String?

    public init(user: UserID, provider: String, externalID: String, directoryID: String?) {
        (self.user, self.provider, self.externalID, self.directoryID) = (user, provider, externalID, directoryID)
    }
}

/// The bounds of what strangers can have done.
public struct DirectoryLimits: Equatable, Sendable {
    /// To one recipient, by all names, providers and instances.
    public var mailsPerHour: Int64

    public init(mailsPerHour: Int64) { self.mailsPerHour = mailsPerHour }
}

/// What is to be done for a request.
public enum DirectoryTask: Equatable, Sendable {
    /// A mail is to be sent to the account, which is made first where it is not.
    case mail(DirectoryAccount)
    /// Nobody is known, no more mails may be sent for now, or there is no address to send them to.
    case nothing
}

/// What became of somebody who wants a credential at once.
public enum DirectoryOpening: Equatable, Sendable {
    case account(DirectoryAccount)
    /// The name is somebody's; nothing has changed.
    case taken
    case refused(Refusal)
}

/// Which users a provider's directory has accounts for, or is to get them for.
public protocol DirectoryRepository: Sendable {
    /// Writes a request down, to be passed on later. Nobody is looked for, so that it takes the same for everybody.
    ///
    /// - Parameter maximum: how many may wait.
    /// - Returns: false when so many do; nothing is written then.
    func order(_ order: DirectoryOrder, maximum: Int64, now: Int64) async throws(RepositoryError) -> Bool

    /// Finds whom an order is about. For a sign-up with an address under a name that nobody has signed in by a user is
    /// made, without an identity; the name is the user's with the first sign-in.
    ///
    /// - Parameters:
    ///   - name: for the account, where there is none yet.
    ///   - reference: the new user's, likewise.
    func begin(
        _ message: OutboxMessage, name: DirectoryName, reference: String, limits: DirectoryLimits, now: Int64
    ) async throws(RepositoryError) -> DirectoryTask

    /// Makes a user for a name that nobody has or wants. The address is the user's own word alone, and nobody is ever
    /// found by it.
    ///
    /// - Returns: `.account`, or `.taken`.
    func openAccount(
        _ order: DirectoryOrder, name: DirectoryName, reference: String, now: Int64
    ) async throws(RepositoryError) -> DirectoryOpening

    /// The account of the user of a session, made where there is none.
    ///
    /// - Returns: `.account`, or refused with `.sessionGone`, `.authenticationTooOld` or `.identityTooNew`.
    func openAccount(
        under session: SessionID, demands: SensitiveDemands, provider: String, name: DirectoryName, now: Int64
    ) async throws(RepositoryError) -> DirectoryOpening

    /// Notes what the directory calls an account, and by what way its user gets a credential.
    ///
    /// - Parameter way: for the audit trail.
    /// - Returns: false where another account of ours has that name; nothing has changed then.
    func note(
        _ directoryID: String, hash: TokenHash, of account: DirectoryAccount, _ way: AuditEvent.Kind, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Takes back a user of ``openAccount(_:name:reference:now:)`` who has no identity and got no link.
    func discard(_ account: DirectoryAccount, now: Int64) async throws(RepositoryError)

    /// Removes users who have signed up and never in, the oldest first.
    ///
    /// - Parameters:
    ///   - time: those who signed up by then, in seconds since 1970.
    ///   - limit: how many at most.
    /// - Returns: how many accounts are forgotten.
    func removeUnfinished(
        of provider: String, before time: Int64, limit: Int, now: Int64
    ) async throws(RepositoryError) -> Int
}
