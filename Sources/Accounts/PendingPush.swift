/// A sign-in that was begun by our server, on the user's phone: one for each request of an app, until it ends and for a
/// while after.
public struct PendingPush: Equatable, Sendable {
    /// How far it has come. The raw values are stored.
    public enum State: Int64, Sendable, CaseIterable {
        /// The user is asked, or will be.
        case pending = 0
        /// The carrier will say no more of it, for a reason that is nobody's business: to the app it is pending.
        case silent = 1
        /// A session waits for the app.
        case signedIn = 2
        /// The app has the session's tokens.
        case taken = 3
        /// Nobody has the subject; a link ticket waits for the app.
        case unlinked = 4
        /// The user has said no.
        case denied = 5
        /// The carrier failed.
        case failed = 6
        /// The app has taken it back.
        case cancelled = 7
    }

    /// Of what the app asks by, and of whose it is: to anybody else there is no such sign-in.
    public var handle: TokenHash
    /// Of what the carrier shows with its notification.
    public var notification: TokenHash
    /// What must be known again, sealed under what the app asks by, so that a reader of the store learns nothing of it.
    public var request: [UInt8]
    /// The same, sealed under what the carrier shows.
    public var expectation: [UInt8]
    /// What the carrier calls it, sealed; nil until it has answered.
    public var carrierID: [UInt8]?
    public var state: State
    /// The link ticket, sealed.
    public var ticket: [UInt8]?
    /// Of the notification that has ended it.
    public var notified: TokenHash?
    /// Seconds since 1970.
    public var expiresAt: Int64

    public init(
        handle: TokenHash, notification: TokenHash, request: [UInt8], expectation: [UInt8], carrierID: [UInt8]?,
        state: State, ticket: [UInt8]?, notified: TokenHash?, expiresAt: Int64
    ) {
        (self.handle, self.notification, self.request) = (handle, notification, request)
        (self.expectation, self.carrierID, self.state, self.ticket) = (expectation, carrierID, state, ticket)
        (self.notified, self.expiresAt) = (notified, expiresAt)
    }
}

/// What a notification's sign-in ends: the push whose app is to get the session, or the ticket.
public struct PushDelivery: Equatable, Sendable {
    /// Of what the carrier has shown.
    public var notification: TokenHash
    /// Of what it has said, so that the same once more is known.
    public var notified: TokenHash
    /// The link ticket, sealed, where the sign-in makes one.
    public var ticket: [UInt8]?
    /// Until when the app may fetch it, in seconds since 1970.
    public var waitsUntil: Int64

    public init(notification: TokenHash, notified: TokenHash, ticket: [UInt8]?, waitsUntil: Int64) {
        (self.notification, self.notified, self.ticket) = (notification, notified, ticket)
        self.waitsUntil = waitsUntil
    }
}

/// An app that fetches the session of its push.
public struct PushRedemption: Equatable, Sendable {
    public var handle: TokenHash
    /// When the first refresh token of its session stops working, in seconds since 1970.
    public var sessionExpiresAt: Int64
    /// How long after the first time an app gets the same again that has lost the answer; 0 for never.
    public var graceSeconds: Int64
    /// Until when it is known that the session was fetched, in seconds since 1970.
    public var rememberedUntil: Int64
    /// Seconds since 1970.
    public var now: Int64

    public init(
        handle: TokenHash, sessionExpiresAt: Int64, graceSeconds: Int64, rememberedUntil: Int64, now: Int64
    ) {
        (self.handle, self.sessionExpiresAt, self.graceSeconds) = (handle, sessionExpiresAt, graceSeconds)
        (self.rememberedUntil, self.now) = (rememberedUntil, now)
    }
}

public enum PushOutcome: Equatable, Sendable {
    /// Its session lasts from the first time on. Within the grace, and as long as its refresh token was not used, it is
    /// the same again.
    case fetched(Session)
    /// It was fetched before: its session has ended.
    case reused
    /// There is no session to fetch, or it has ended.
    case refused
}
