/// A link ticket handed back with what the app collected.
public struct TicketRedemption: Sendable {
    public var ticket: TokenHash
    /// The client must be the one the ticket was made for; how the user was authenticated, and what the
    /// session may do, is taken from the ticket.
    public var session: NewSession
    /// The new user's random reference.
    public var reference: String
    /// What the app collected: the user's own words, kept apart from the carrier's.
    public var own: Attributes
    /// The request that it comes with: the same again gets the same session.
    public var request: RequestDigest
    /// Seconds since 1970.
    public var now: Int64

    public init(
        ticket: TokenHash, session: NewSession, reference: String, own: Attributes, request: RequestDigest, now: Int64
    ) {
        (self.ticket, self.session, self.reference, self.own) = (ticket, session, reference, own)
        (self.request, self.now) = (request, now)
    }
}

/// A link ticket whose identity a signed-in user adds.
public struct TicketLink: Sendable {
    public var ticket: TokenHash
    /// The client that the ticket was made for.
    public var client: String
    /// Whose session adds it. It must be live in the very transaction.
    public var session: SessionID
    /// What the session must show in the very transaction.
    public var demands: SensitiveDemands
    /// The request that it comes with: the same again gets the same answer.
    public var request: RequestDigest
    /// Seconds since 1970.
    public var now: Int64

    public init(
        ticket: TokenHash, client: String, session: SessionID, demands: SensitiveDemands, request: RequestDigest,
        now: Int64
    ) {
        (self.ticket, self.client, self.session, self.demands) = (ticket, client, session, demands)
        (self.request, self.now) = (request, now)
    }
}

public enum RedemptionOutcome: Equatable, Sendable {
    case redeemed(RedeemedTicket)
    case refused(Refusal)
}

/// What became of a link ticket.
public struct RedeemedTicket: Equatable, Sendable {
    public var signedIn: SignedIn
    /// As it was opened: how the user was authenticated, and what the session may do, is the ticket's.
    public var session: NewSession

    public init(signedIn: SignedIn, session: NewSession) {
        (self.signedIn, self.session) = (signedIn, session)
    }
}
