/// A refresh token presented, with what should replace it.
///
/// A refresh token names its session (`<session id>.<secret>`), so that no index on the random hashes is needed. For a
/// client that lost the answer the successor must be told again, though the store holds only hashes: the caller wraps
/// the successor under a key made from the presented token, which only the client has. Whoever reads the store can
/// unwrap nothing.
public struct RefreshRecord: Sendable {
    public var session: SessionID
    public var presented: TokenHash
    public var next: TokenHash
    /// The successor wrapped as said above; at most a few hundred bytes, opaque to the store.
    public var nextWrapped: [UInt8]
    /// When the successor stops working, in seconds since 1970, unless the session ends before.
    public var expiresAt: Int64
    /// How long a session lasts at most, in seconds from when it was opened; nil for no end.
    public var absoluteSeconds: Int64?
    /// How long after its rotation a replaced token gets its answer again.
    public var graceSeconds: Int64
    /// Seconds since 1970.
    public var now: Int64

    public init(
        session: SessionID, presented: TokenHash, next: TokenHash, nextWrapped: [UInt8], expiresAt: Int64,
        absoluteSeconds: Int64?, graceSeconds: Int64, now: Int64
    ) {
        self.session = session
        self.presented = presented
        self.next = next
        self.nextWrapped = nextWrapped
        self.expiresAt = expiresAt
        self.absoluteSeconds = absoluteSeconds
        self.graceSeconds = graceSeconds
        self.now = now
    }
}

public enum RefreshOutcome: Equatable, Sendable {
    /// The successor is the session's refresh token now.
    case rotated(Session)
    /// The token was rotated just before: unwrap and answer with the successor of then, not with the one just made.
    case repeated(Session, nextWrapped: [UInt8])
    /// The token had been replaced: its session family is revoked.
    case reused(UserID)
    /// No live session knows the token.
    case refused
}
