/// What a session must show for what could take an account over (``SensitiveAct``), as the configuration has it.
///
/// Who has stolen an access token can't renew its authentication; who has stolen a phone number has an identity that
/// was just added.
public struct SensitiveDemands: Equatable, Sendable {
    /// Within how many seconds users have to authenticate of whom nothing tells that they ever did, where any time
    /// would do; and for how long an answer to our challenge counts at most.
    public static let usualMaximumAgeSeconds: Int64 = 300

    /// For what an answer to our challenge counts, where the provider tells no time of authentication.
    public enum Challenge: CaseIterable, Sendable {
        case nothing
        /// For acts that only end something.
        case endings
        case everything
    }

    /// How long ago the user may have authenticated, in seconds (`max_age` of RFC 9470 §3); nil for any time.
    public var maximumAgeSeconds: Int64?
    /// For how long an identity that was added must have been the user's, in seconds; 0 for no time.
    public var minimumIdentityAgeSeconds: Int64
    public var challenge: Challenge

    public init(maximumAgeSeconds: Int64?, minimumIdentityAgeSeconds: Int64, challenge: Challenge) {
        (self.maximumAgeSeconds, self.minimumIdentityAgeSeconds) = (maximumAgeSeconds, minimumIdentityAgeSeconds)
        self.challenge = challenge
    }

    /// Within how many seconds the user of a session has to authenticate again for an act; nil when there is no need.
    ///
    /// - Parameter now: seconds since 1970.
    public func missingAuthentication(for act: SensitiveAct, _ shown: ShownAuthentication, now: Int64) -> Int64? {
        if shown.authenticatedAt != Session.neverAuthenticated {
            guard let maximumAgeSeconds, now - shown.authenticatedAt > maximumAgeSeconds else { return nil }
            return maximumAgeSeconds
        }
        let seconds = maximumAgeSeconds ?? Self.usualMaximumAgeSeconds
        if let challengedAt = shown.challengedAt, takesChallenge(for: act),
            now - challengedAt <= min(seconds, Self.usualMaximumAgeSeconds)
        {
            return nil
        }
        return seconds
    }

    private func takesChallenge(for act: SensitiveAct) -> Bool {
        switch challenge {
        case .nothing: false
        case .endings: act.onlyEnds
        case .everything: true
        }
    }
}

/// How a session shows when its user authenticated.
public struct ShownAuthentication: Equatable, Sendable {
    /// By the provider's word, in seconds since 1970; or ``Session/neverAuthenticated``.
    public var authenticatedAt: Int64
    /// As ``NewSession/challengedAt``.
    public var challengedAt: Int64?

    public init(authenticatedAt: Int64, challengedAt: Int64?) {
        (self.authenticatedAt, self.challengedAt) = (authenticatedAt, challengedAt)
    }
}

extension Session {
    public var shownAuthentication: ShownAuthentication {
        ShownAuthentication(authenticatedAt: authenticatedAt, challengedAt: challengedAt)
    }
}

/// How an identity came to its user, as far as the decision needs it.
public struct IdentityHistory: Equatable, Sendable {
    public var origin: Identity.Origin
    /// Seconds since 1970.
    public var linkedAt: Int64
    /// When its user was stored, in seconds since 1970.
    public var userCreatedAt: Int64

    public init(origin: Identity.Origin, linkedAt: Int64, userCreatedAt: Int64) {
        (self.origin, self.linkedAt, self.userCreatedAt) = (origin, linkedAt, userCreatedAt)
    }

    /// Whether somebody added it to a user who was there: by linking, by a port, or by an operator. An imported one was
    /// added when it completed a user who had been stored before.
    private var wasAdded: Bool {
        switch origin {
        case .signIn: false
        case .link, .migration: true
        case .imported: linkedAt > userCreatedAt
        }
    }

    /// How long it must still wait until it may approve transactions and change what belongs to the account.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: seconds; 0 when it may.
    public func waitSeconds(minimumAgeSeconds: Int64, now: Int64) -> Int64 {
        guard wasAdded, minimumAgeSeconds > 0 else { return 0 }
        return max(0, linkedAt + minimumAgeSeconds - now)
    }
}

/// Whether a session may do what could take its account over.
///
/// A pure decision; the repository asks it inside the transaction that then does it.
public enum SensitiveDecision: Equatable, Sendable {
    case allow
    /// The user must authenticate again (RFC 9470); refreshing the session does not help.
    case authenticateAgain(maximumAgeSeconds: Int64)
    /// The identity the user signed in with was added too recently.
    case wait(seconds: Int64)

    /// Decides.
    ///
    /// - Parameters:
    ///   - act: what is to be done.
    ///   - shown: when the user of the session authenticated.
    ///   - identities: the one that opened the session; all of the user's where it is not known which did.
    ///   - now: seconds since 1970.
    public static func decide(
        _ act: SensitiveAct, _ shown: ShownAuthentication, identities: [IdentityHistory], demands: SensitiveDemands,
        now: Int64
    ) -> SensitiveDecision {
        if let maximum = demands.missingAuthentication(for: act, shown, now: now) {
            return .authenticateAgain(maximumAgeSeconds: maximum)
        }
        guard act.isClosedToNewIdentities else { return .allow }
        let waits = identities.map {
            $0.waitSeconds(minimumAgeSeconds: demands.minimumIdentityAgeSeconds, now: now)
        }
        guard let longest = waits.max(), longest > 0 else { return .allow }
        return .wait(seconds: longest)
    }
}
