/// A sign-in through the browser that has begun here and is to come back: one use, for some minutes, whatever instance
/// it comes back to.
public struct PendingSignIn: Equatable, Sendable {
    /// Of the `state` that the provider sends back; the text is nowhere but in the browser's way there and back.
    public var handle: TokenHash
    /// Of what the browser was given to be known again by.
    public var browser: TokenHash
    /// What must be known again, sealed under the `state` itself, so that a reader of the store learns nothing of it.
    public var content: [UInt8]
    /// Seconds since 1970.
    public var expiresAt: Int64
    /// Whose share of the room it takes.
    public var network: NetworkHash

    public init(
        handle: TokenHash, browser: TokenHash, content: [UInt8], expiresAt: Int64, network: NetworkHash
    ) {
        (self.handle, self.browser, self.content, self.expiresAt) = (handle, browser, content, expiresAt)
        self.network = network
    }

    /// What it takes in a store, in bytes, and not less: with its hashes, its indexes, and what a long content leaves
    /// unused of its last page.
    package var byteCount: Int64 {
        let count = Int64(content.count)
        let page: Int64 = 4096
        return 256 + (count > page / 2 ? (count + page - 1) / page * page : count)
    }
}

/// What pending sign-ins may take in a store.
public struct PendingBounds: Equatable, Sendable {
    public var rows: Int64
    public var bytes: Int64
    /// Of one address, counted by its /48 where it is of IPv6.
    public var bytesPerHolder: Int64

    public init(rows: Int64, bytes: Int64, bytesPerHolder: Int64) {
        (self.rows, self.bytes, self.bytesPerHolder) = (rows, bytes, bytesPerHolder)
    }
}

/// The one-time code that an app gets for a sign-in through the browser (RFC 6749 §4.1.2), with all that it is bound
/// to.
public struct NewAppCode: Equatable, Sendable {
    public var hash: TokenHash
    public var redirectURI: String
    /// RFC 7636 §4.2, always by S256.
    public var codeChallenge: String
    /// The app's own, for its ID token.
    public var nonce: String?
    /// Seconds since 1970. The session lives no longer, until the code is redeemed.
    public var expiresAt: Int64
    /// What the user must have agreed to before the app gets the code; nil where nobody is asked.
    public var consent: ConsentDemand?

    public init(
        hash: TokenHash, redirectURI: String, codeChallenge: String, nonce: String?, expiresAt: Int64,
        consent: ConsentDemand?
    ) {
        (self.hash, self.redirectURI, self.codeChallenge, self.nonce) = (hash, redirectURI, codeChallenge, nonce)
        (self.expiresAt, self.consent) = (expiresAt, consent)
    }
}

/// An app's one-time code as it is presented.
public struct AppCodeRedemption: Equatable, Sendable {
    public var code: TokenHash
    public var client: String
    /// As the app repeats it; nil where it leaves it out, since the verifier proves as much (OAuth 2.1 §10.2).
    public var redirectURI: String?
    /// Made of the verifier that came with it.
    public var codeChallenge: String
    /// When the first refresh token of its session stops working, in seconds since 1970.
    public var sessionExpiresAt: Int64
    /// Until when a redeemed code is known again, so that its second use is seen; in seconds since 1970.
    public var rememberedUntil: Int64
    /// The request that the code comes with: the same again gets the same, while its answer is on its way or was lost.
    public var request: RequestDigest
    /// The session that the code's one takes the place of, and that ends as the code is redeemed; nil where none does.
    public var replaces: SessionID?
    /// Seconds since 1970.
    public var now: Int64
    /// Whether the same request waits where its first answer has been handed over: of a connection that breaks then the
    /// note comes a moment later.
    public var mayWait = false

    public init(
        code: TokenHash, client: String, redirectURI: String?, codeChallenge: String, sessionExpiresAt: Int64,
        rememberedUntil: Int64, request: RequestDigest, replaces: SessionID?, now: Int64
    ) {
        (self.code, self.client, self.redirectURI, self.codeChallenge) = (code, client, redirectURI, codeChallenge)
        (self.sessionExpiresAt, self.rememberedUntil, self.request) = (sessionExpiresAt, rememberedUntil, request)
        (self.replaces, self.now) = (replaces, now)
    }
}

/// What becomes of the answer to a code that was redeemed.
public enum AppCodeDelivery: Sendable {
    /// It was handed to the connection: the code is good for nothing more.
    case taken
    /// The connection broke, and the app may redeem the code again for a moment.
    case lost
}

public enum AppCodeOutcome: Equatable, Sendable {
    /// Its session lasts from now on.
    case redeemed(Session, nonce: String?)
    /// It was redeemed before, with the same verifier: its session has ended (RFC 6749 §4.1.2).
    case reused
    /// It is unknown, expired, or another app's; or the address or the verifier is not the one that it is bound to.
    case refused
    /// The same request was answered, and the answer handed to its connection: unless that breaks, this is the second
    /// use. Only where it may wait.
    case handedOver
}
