/// What a user has agreed that an app of ours may do.
public struct Consent: Equatable, Sendable {
    /// The app's `client_id`.
    public var client: String
    /// All that the user has agreed to at any time, by name, with blanks between (RFC 6749 §3.3).
    public var scope: String
    /// When they last did, in seconds since 1970.
    public var agreedAt: Int64

    public init(client: String, scope: String, agreedAt: Int64) {
        (self.client, self.scope, self.agreedAt) = (client, scope, agreedAt)
    }

    /// A scope with what another has besides, in the order of the first.
    package static func joined(_ scope: String, _ other: String) -> String {
        let known = Set(scope.split(separator: " "))
        let more = other.split(separator: " ").filter { !known.contains($0) }
        return ([scope] + more.map(String.init)).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// What an app's user has to agree to before the app is given anything (OpenID Connect Core §3.1.2.4).
public struct ConsentDemand: Equatable, Sendable {
    /// What counts.
    public enum Rule: Sendable {
        /// The user has just been asked, in this very sign-in.
        case given
        /// They have agreed to all of it at some time.
        case once
        /// They are asked in every sign-in.
        case eachTime
    }

    public var rule: Rule
    /// Whether nobody may be asked, so that a sign-in without consent is refused.
    public var isSilent: Bool
    /// Until when the app's code, and its session, wait for the user's answer, in seconds since 1970.
    public var waitsUntil: Int64

    public init(rule: Rule, isSilent: Bool, waitsUntil: Int64) {
        (self.rule, self.isSilent, self.waitsUntil) = (rule, isSilent, waitsUntil)
    }

    /// Whether the user has to be asked.
    ///
    /// - Parameters:
    ///   - scope: what the app would be given.
    ///   - agreed: what the user has agreed to before; nil for nothing.
    package func isLacking(_ scope: String?, agreed: String?) -> Bool {
        switch rule {
        case .given: return false
        case .eachTime: return true
        case .once:
            guard let agreed else { return true }
            return !Set((scope ?? "").split(separator: " ")).isSubset(of: agreed.split(separator: " "))
        }
    }
}

/// What users have agreed to, of each app of ours.
public protocol ConsentRepository: Sendable {
    /// A user's, by the apps' names.
    func consents(of user: UserID) async throws(RepositoryError) -> [Consent]

    /// Keeps that the user agrees to what a session would do that waits for the answer, and lets the app have its code.
    ///
    /// - Parameters:
    ///   - code: the app's.
    ///   - expiresAt: until when the app may redeem it, in seconds since 1970.
    /// - Returns: false where the session or the code is over.
    func agree(
        to session: SessionID, code: TokenHash, expiresAt: Int64, now: Int64
    ) async throws(RepositoryError) -> Bool

    /// Ends all sessions that the user of a session has with an app of ours, and what is under way to become one.
    ///
    /// - Parameters:
    ///   - isWithdrawn: whether what the user has agreed to is over as well.
    ///   - line: what is under way and began before it opens nothing.
    /// - Returns: how many live ones there were; refused with `.sessionGone`, `.authenticationTooOld` or
    ///   `.identityTooNew`.
    func endSessions(
        ofApp client: String, isWithdrawn: Bool, under session: SessionID, demands: SensitiveDemands, line: NotBefore,
        now: Int64
    ) async throws(RepositoryError) -> SignOutOutcome
}
