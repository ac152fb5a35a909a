/// A refresh token as a client presents it.
public enum PresentedRefreshToken: Equatable, Sendable {
    /// One that says what it is, under a signature of ours that is verified and at a time it is good for.
    case signed(generation: Int64, user: UserID)
    /// One of the earlier form, `<session id>.<secret>`, which the store knows by its hash only. No more are made;
    /// those that are out work until they are replaced or expire.
    case earlier(TokenHash)
}

/// A refresh token presented, to be replaced by the next generation.
///
/// A refresh token names its session, so that no index is needed. Its successor is not told here: it is made of what
/// the store answers, and a client that lost it gets the same made again.
public struct RefreshRecord: Sendable {
    public var session: SessionID
    public var presented: PresentedRefreshToken
    /// The app of ours that presents it; nil for who names none. A session that was opened through the browser is its
    /// app's, and any other is nobody's of them.
    public var client: String?
    /// When the successor stops working, in seconds since 1970, unless the session ends before.
    public var expiresAt: Int64
    /// How long a session lasts at most, in seconds from when it was opened; nil for no end.
    public var absoluteSeconds: Int64?
    /// Whether it stays good as long as the session lasts, and is not replaced.
    public var isReusable: Bool
    /// For how long a replaced token gets its answer again.
    public var repeats: RefreshRepeat
    /// Seconds since 1970.
    public var now: Int64

    public init(
        session: SessionID, presented: PresentedRefreshToken, client: String?, expiresAt: Int64,
        absoluteSeconds: Int64?, isReusable: Bool, repeats: RefreshRepeat, now: Int64
    ) {
        (self.session, self.presented, self.client, self.expiresAt) = (session, presented, client, expiresAt)
        (self.absoluteSeconds, self.isReusable, self.repeats, self.now) = (absoluteSeconds, isReusable, repeats, now)
    }
}

public enum RefreshOutcome: Equatable, Sendable {
    /// The session has come to its next generation, whose token is the answer.
    case rotated(Session)
    /// The token was rotated, and its successor not presented since: the answer is the current generation's token, as
    /// it was then.
    case repeated(Session)
    /// The same between two tokens of the earlier form: the answer is in this seal, which the presented token opens.
    case repeatedEarlier(Session, nextWrapped: [UInt8])
    /// The session lasts longer, and the token stays the one it has.
    case extended(Session)
    /// The token had been replaced: its session family is revoked.
    case reused(UserID)
    /// There is no such session, and its user is locked.
    case locked
    /// No live session knows the token.
    case refused
}
