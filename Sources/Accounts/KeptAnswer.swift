/// A request, by all that it says and by whom it comes from: what is sent again is told by it from what is new.
///
/// Sixteen bytes of a SHA-256 digest, of texts that nobody can guess: it is compared with what one code has come with
/// and with nothing else.
public struct RequestDigest: Equatable, Sendable {
    public static let byteCount = 16

    let words: (UInt64, UInt64)

    /// - Parameter hash: of the request.
    public init(_ hash: TokenHash) { words = (hash.words.0, hash.words.1) }

    fileprivate init(_ bytes: Span<UInt8>) { words = (bytes.word(at: 0), bytes.word(at: 8)) }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: words.0)
        bytes.append(word: words.1)
        return bytes
    }

    public static func == (left: RequestDigest, right: RequestDigest) -> Bool { left.words == right.words }
}

/// What the use of something that works once has come to, for the one who has lost the answer and sends the same again.
public struct KeptAnswer: Equatable, Sendable {
    /// For how long the answer is given again, in seconds.
    public static let lifetimeSeconds: Int64 = 60

    /// What was answered, by what the store knows it by: tokens are made again, and kept nowhere.
    public enum Outcome: Equatable, Sendable {
        case session(SessionID, Arrival)
        /// What somebody was given to register with.
        case ticket(TokenHash)
        case linked(IdentityID, isNew: Bool)
        /// A receipt, by its identifier.
        case receipt(String)
    }

    /// What the user of a session was with it.
    public enum Arrival: Equatable, Sendable {
        case known, new, migrated
    }

    /// Of the request that was answered.
    public var request: RequestDigest
    /// Seconds since 1970.
    public var at: Int64
    public var outcome: Outcome

    public init(request: RequestDigest, at: Int64, outcome: Outcome) {
        (self.request, self.at, self.outcome) = (request, at, outcome)
    }

    /// Whether it is given again to that request: to the same and no other, and not for long.
    public func answers(_ request: RequestDigest, now: Int64) -> Bool {
        self.request == request && now - at <= Self.lifetimeSeconds && at - now <= RefreshDecision.clockSlackSeconds
    }
}

extension KeptAnswer {
    private enum Kind: UInt8 {
        case session = 1
        case ticket, linked, newlyLinked, receipt, newSession, migratedSession
    }

    private static let headBytes = RequestDigest.byteCount + 8 + 1

    /// As it is stored: the digest, the time, and the kind of outcome with its name.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headBytes + TokenHash.byteCount)
        bytes.append(word: request.words.0)
        bytes.append(word: request.words.1)
        bytes.append(word: UInt64(bitPattern: at))
        switch outcome {
        case .session(let id, let arrival):
            let kind: Kind =
                switch arrival {
                case .known: .session
                case .new: .newSession
                case .migrated: .migratedSession
                }
            bytes.append(kind.rawValue)
            bytes.append(contentsOf: id.bytes)
        case .ticket(let hash):
            bytes.append(Kind.ticket.rawValue)
            bytes.append(contentsOf: hash.bytes)
        case .linked(let id, isNew: let isNew):
            bytes.append((isNew ? Kind.newlyLinked : .linked).rawValue)
            bytes.append(word: UInt64(bitPattern: id.rawValue))
        case .receipt(let id):
            bytes.append(Kind.receipt.rawValue)
            bytes.append(contentsOf: id.utf8)
        }
        return bytes
    }

    /// - Returns: nil for what was not stored so, as what a later version knows.
    public init?(encoded: [UInt8]) {
        let bytes = encoded.span
        guard bytes.count > Self.headBytes, let kind = Kind(rawValue: bytes[Self.headBytes - 1]) else { return nil }
        request = RequestDigest(bytes)
        at = Int64(bitPattern: bytes.word(at: RequestDigest.byteCount))
        let name = Array(encoded[Self.headBytes...])
        switch kind {
        case .session, .newSession, .migratedSession:
            guard let id = SessionID(name) else { return nil }
            outcome = .session(id, kind == .newSession ? .new : kind == .migratedSession ? .migrated : .known)
        case .ticket:
            guard let hash = TokenHash(name) else { return nil }
            outcome = .ticket(hash)
        case .linked, .newlyLinked:
            guard name.count == 8 else { return nil }
            let id = IdentityID(rawValue: Int64(bitPattern: name.span.word(at: 0)))
            outcome = .linked(id, isNew: kind == .newlyLinked)
        case .receipt: outcome = .receipt(String(decoding: name, as: UTF8.self))
        }
    }
}

extension [UInt8] {
    /// The lowest byte first.
    fileprivate mutating func append(word: UInt64) {
        for index in 0..<8 { append(UInt8(truncatingIfNeeded: word >> UInt64(index * 8))) }
    }
}

extension Span<UInt8> {
    /// Eight bytes from `start`, the first one lowest.
    fileprivate func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(self[start + index]) << UInt64(index * 8) }
        return word
    }
}

/// How far the use of something that works once has come.
public enum UseStanding: Equatable, Sendable {
    /// It is not used, or nothing is kept of what came of it.
    case none
    /// Another request has it, and nothing has come of it yet.
    ///
    /// - Parameter expiresAt: as it was claimed, in seconds since 1970.
    case underWay(expiresAt: Int64)
    case answered(KeptAnswer)
}

/// A sign-in that is answered once more.
public struct RepeatedSignIn: Sendable {
    public var session: Session
    public var signedIn: SignedIn

    public init(session: Session, signedIn: SignedIn) {
        (self.session, self.signedIn) = (session, signedIn)
    }
}

/// A ticket that is handed out once more.
public struct RepeatedTicket: Sendable {
    /// The configured name of the provider.
    public var provider: String
    public var profile: Profile

    public init(provider: String, profile: Profile) {
        (self.provider, self.profile) = (provider, profile)
    }
}
