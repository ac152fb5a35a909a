/// A verified sign-in, whole.
public struct SignInRecord: Sendable {
    public let evidence: Evidence
    /// The server-issued nonce, where one was used.
    public let challenge: OneTimeUse?
    /// The configured name of the provider.
    public let provider: String
    public let subject: Subject
    /// What names the person beside the subject; nil where nothing does, or where the provider's configuration does not
    /// look at it.
    public let personKey: PersonKey?
    /// The verified port tokens in the order they came; empty when the subject was known beforehand.
    public let ported: [PortedSubject]
    /// How many port tokens came besides and proved nothing.
    public let refusedPortTokens: Int
    public let registration: Registration
    /// What the carrier said about the user this time.
    public let attributes: Attributes
    /// What a new user says of themselves; nobody else's profile changes by it.
    public let own: SelfAssertedName?
    /// What the provider's configuration hands out besides.
    public let claims: TypedClaims
    public let session: NewSession
    /// What is compared with the lines in time (``NotBefore``).
    public let beginning: SignInBeginning
    /// What an app redeems for the session's tokens, where the user signs in through the browser.
    public let appCode: NewAppCode?
    /// Which push it ends, where our server has begun it.
    public let push: PushDelivery?
    /// What the user has approved by it.
    public let approval: SignInApproval?
    /// The provider's tokens, where they are kept.
    public let kept: KeptTokens?
    /// How many sessions of its source the user may have, this one included; others end. Nil for any number.
    public let sessionLimits: SessionLimits?
    /// Seconds since 1970.
    public let now: Int64

    /// All fields. Code that does without some of them takes this apart, so that a field that comes later does not
    /// compile there before it is looked at.
    public typealias Fields = (
        evidence: Evidence, challenge: OneTimeUse?, provider: String, subject: Subject, personKey: PersonKey?,
        ported: [PortedSubject], refusedPortTokens: Int, registration: Registration, attributes: Attributes,
        own: SelfAssertedName?, claims: TypedClaims, session: NewSession, beginning: SignInBeginning,
        appCode: NewAppCode?,
        push: PushDelivery?, approval: SignInApproval?, kept: KeptTokens?, sessionLimits: SessionLimits?, now: Int64
    )

    /// Names every field: what is forgotten would not be stored.
    public init(_ fields: Fields) {
        (
            self.evidence, self.challenge, self.provider, self.subject, self.personKey, self.ported,
            self.refusedPortTokens, self.registration, self.attributes, self.own, self.claims, self.session,
            self.beginning, self.appCode, self.push, self.approval, self.kept, self.sessionLimits, self.now
        ) = fields
    }

    public var fields: Fields {
        (
            evidence, challenge, provider, subject, personKey, ported, refusedPortTokens, registration, attributes,
            own, claims, session, beginning, appCode, push, approval, kept, sessionLimits, now
        )
    }

    /// What is kept of the answer, where somebody is signed in: it may be asked for again.
    public func answer(to arrival: KeptAnswer.Arrival) -> KeptAnswer? {
        evidence.oneTimeUse?.answer(.session(session.id, arrival), at: now)
    }

    /// What is merged into the profile.
    public var statement: ProviderStatement {
        ProviderStatement(
            provider: provider, subject: subject.value, attributes: attributes, claims: claims, at: now)
    }
}

extension SignInRecord {
    public var crossClientKey: TokenHash? { if case .crossClient(let hash) = personKey { hash } else { nil } }
}

/// A verified port token: who the user was at the carrier before.
public struct PortedSubject: Equatable, Sendable {
    public var subject: Subject
    /// The token's own hash, with the time from when on its age alone refuses it.
    public var token: OneTimeUse

    public init(subject: Subject, token: OneTimeUse) {
        (self.subject, self.token) = (subject, token)
    }
}

/// What becomes of people who sign in for the first time.
public enum RegistrationMode: String, Sendable, CaseIterable {
    /// The user is stored at once.
    case automatic
    /// The app gets a link ticket, with which it registers the user.
    case ticket
}

/// What happens with a subject that nobody has.
public enum Registration: Sendable {
    /// It becomes a user, under a random reference, which is made when there is need of one.
    case automatic(reference: @autoclosure @Sendable () -> String)
    /// It gets a link ticket: random, single-use, bound to the subject, the provider and the client.
    case ticket(OneTimeUse)
}

/// What names a person beside the subject, hashed, and leads somebody whose subject is new to a user who is here.
public enum PersonKey: Equatable, Sendable {
    /// The same at all clients of the subject's issuer.
    case crossClient(TokenHash)
    /// What we have called the user in the provider's directory (``DirectoryName``).
    case externalID(TokenHash)
    /// What the provider's directory calls the user.
    case directoryID(TokenHash)
    /// The `transfer_sub` of an ID token: who the user was before the app moved to another team at Apple. It does not
    /// make the user's, but moves them, as a port token does.
    case transfer(TokenHash)
}

/// Who is signed in.
public struct SignedIn: Equatable, Sendable {
    public var user: UserID
    public var identity: IdentityID
    public var isNewUser: Bool
    /// Whether this sign-in moved the user here from another carrier.
    public var migrated: Bool
    public var reference: String
    /// The profile with this sign-in merged in.
    public var profile: Profile
    /// Whether the user has to be asked before the app gets its code (``ConsentDemand``).
    public var lacksConsent = false
    /// Whether a port token names another user: the same person seems to have two accounts, which they may make one.
    public var isMergeOffered = false
    /// How many verified port tokens had moved somebody before, and so proved nothing.
    public var usedPortTokens = 0

    public init(
        user: UserID, identity: IdentityID, isNewUser: Bool, migrated: Bool, reference: String, profile: Profile
    ) {
        (self.user, self.identity, self.isNewUser, self.migrated) = (user, identity, isNewUser, migrated)
        (self.reference, self.profile) = (reference, profile)
    }
}

public enum SignInOutcome: Equatable, Sendable {
    /// A session is open. It has much to tell, and passes through many hands.
    indirect case signedIn(SignedIn)
    /// Nobody has the subject; the ticket is stored, and nothing else but the used code.
    case unlinked
    case refused(Refusal)
}
