/// Something that works once, remembered until it could not work anyway.
public struct OneTimeUse: Equatable, Sendable {
    public var hash: TokenHash
    /// Seconds since 1970, from when on the hash may be forgotten.
    public var expiresAt: Int64
    /// The request that it works for, by a random number: whoever has lost the way to the store knows his own claim
    /// again.
    public var owner: Int64

    public init(hash: TokenHash, expiresAt: Int64, owner: Int64 = .random(in: .min ... .max)) {
        self.hash = hash
        self.expiresAt = expiresAt
        self.owner = owner
    }
}

/// What came of a claim on an authorization code.
public enum CodeClaim: Equatable, Sendable {
    case claimed
    /// It is used, or another request has it.
    case used
    /// It was sent to another issuer.
    case sentElsewhere
}

/// How a claim on an authorization code ends that nothing was stored for.
public enum CodeClaimEnd: Sendable {
    /// It was not sent: anybody may claim it.
    case notSent
    /// Its issuer has not taken it, and may be asked again; no other may.
    case refused
}

/// A verified port token: who the user was at the carrier before.
public struct PortedSubject: Equatable, Sendable {
    public var subject: Subject
    /// The token's own hash, with the time from when on its age alone refuses it.
    public var token: OneTimeUse

    public init(subject: Subject, token: OneTimeUse) {
        self.subject = subject
        self.token = token
    }
}

/// What becomes of whoever signs in for the first time.
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

/// A verified sign-in, whole.
public struct SignInRecord: Sendable {
    /// The authorization code; or the ID token that the app has posted, which is as good once.
    public var code: OneTimeUse
    /// The server-issued nonce, where one was used.
    public var challenge: OneTimeUse?
    /// The configured name of the provider.
    public var provider: String
    public var subject: Subject
    /// What names the person beside the subject; nil where nothing does, or where the provider's configuration does not
    /// look at it.
    public var personKey: PersonKey?
    /// The verified port tokens in the order they came; empty when the subject was known beforehand.
    public var ported: [PortedSubject]
    /// How many port tokens came besides and proved nothing.
    public var refusedPortTokens: Int
    public var registration: Registration
    /// What the carrier said about the user this time.
    public var attributes: Attributes
    /// What a new user says of himself; nobody else's profile changes by it.
    public var own: SelfAssertedName?
    /// What the provider's configuration hands out besides.
    public var claims: TypedClaims
    public var session: NewSession
    /// What an app redeems for the session's tokens, where the user signs in through the browser.
    public var appCode: NewAppCode?
    /// Which push it ends, where our server has begun it.
    public var push: PushDelivery?
    /// The provider's tokens, where they are kept.
    public var kept: KeptTokens?
    /// How many sessions the user may have, this one included; the oldest end. Nil for any number.
    public var maximumSessions: Int64?
    /// Seconds since 1970.
    public var now: Int64

    public init(
        code: OneTimeUse, challenge: OneTimeUse? = nil, provider: String, subject: Subject, ported: [PortedSubject],
        refusedPortTokens: Int = 0, personKey: PersonKey? = nil, registration: Registration,
        attributes: Attributes, own: SelfAssertedName? = nil, claims: TypedClaims = TypedClaims(),
        session: NewSession,
        appCode: NewAppCode? = nil,
        push: PushDelivery? = nil, kept: KeptTokens? = nil, maximumSessions: Int64?, now: Int64
    ) {
        self.code = code
        self.challenge = challenge
        self.provider = provider
        self.subject = subject
        self.personKey = personKey
        self.ported = ported
        self.refusedPortTokens = refusedPortTokens
        self.registration = registration
        self.attributes = attributes
        self.own = own
        self.claims = claims
        self.session = session
        self.appCode = appCode
        self.push = push
        self.kept = kept
        self.maximumSessions = maximumSessions
        self.now = now
    }

    /// What is merged into the profile.
    public var statement: ProviderStatement {
        ProviderStatement(provider: provider, subject: subject.value, attributes: attributes, claims: claims)
    }
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
    /// make the user's, but moves him, as a port token does.
    case transfer(TokenHash)
}

extension SignInRecord {
    public var crossClientKey: TokenHash? {
        get { if case .crossClient(let hash) = personKey { hash } else { nil } }
        set { personKey = newValue.map { .crossClient($0) } }
    }
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
    /// How many verified port tokens had moved somebody before, and so proved nothing.
    public var usedPortTokens = 0

    public init(
        user: UserID, identity: IdentityID, isNewUser: Bool, migrated: Bool, reference: String, profile: Profile
    ) {
        self.user = user
        self.identity = identity
        self.isNewUser = isNewUser
        self.migrated = migrated
        self.reference = reference
        self.profile = profile
    }
}

public enum SignInOutcome: Equatable, Sendable {
    /// A session is open. It has much to tell, and passes through many hands.
    indirect case signedIn(SignedIn)
    /// Nobody has the subject; the ticket is stored, and nothing else but the used code.
    case unlinked
    case refused(Refusal)
}

public enum RedemptionOutcome: Equatable, Sendable {
    case redeemed(RedeemedTicket)
    case refused(Refusal)
}

/// What became of a link ticket.
public struct RedeemedTicket: Equatable, Sendable {
    public var signedIn: SignedIn
    /// How the user was authenticated when the ticket was made, which the session tells too.
    public var authentication: Authentication

    public init(signedIn: SignedIn, authentication: Authentication) {
        self.signedIn = signedIn
        self.authentication = authentication
    }
}

/// A link ticket handed back with what the app collected.
public struct TicketRedemption: Sendable {
    public var ticket: TokenHash
    /// The client must be the one the ticket was made for; how the user was authenticated is taken from the ticket.
    public var session: NewSession
    /// The new user's random reference.
    public var reference: String
    /// What the app collected: the user's own words, kept apart from the carrier's.
    public var own: Attributes
    /// Seconds since 1970.
    public var now: Int64

    public init(ticket: TokenHash, session: NewSession, reference: String, own: Attributes = Attributes(), now: Int64) {
        self.ticket = ticket
        self.session = session
        self.reference = reference
        self.own = own
        self.now = now
    }
}
