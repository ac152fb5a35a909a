internal import Syntax

/// The name of a key of the KeyService: 128 random bits. Whoever knows it may try passwords, three at most.
public struct UnlockKeyID: Hashable, Sendable {
    public static let byteCount = 16

    public let bytes: [UInt8]

    /// - Returns: nil unless there are exactly sixteen bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The first sixteen bytes.
    public init(copying bytes: Span<UInt8>) {
        self.bytes = (0..<Self.byteCount).map { bytes[$0] }
    }

    /// Reads the text form: 32 lowercase hexadecimal digits.
    public init?(text: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            // One name has one text: digits in upper case are none.
            guard let value = digit.hexadecimalValue, digit == Hexadecimal.lowercase(value) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard high == nil else { return nil }
        self.init(bytes)
    }

    public var text: String { Hexadecimal.encode(bytes) }
}

/// A key of the KeyService, as it is kept.
public struct UnlockKey: Equatable, Sendable {
    public var id: UnlockKeyID
    /// The key, wrapped under the password and under the long secret by whoever made it, and opaque to the store, which
    /// seals it once more; nil when it is locked: then nothing is left to unlock.
    public var content: [UInt8]?

    public init(id: UnlockKeyID, content: [UInt8]?) {
        self.id = id
        self.content = content
    }
}

/// What was found out of an attempt to unlock a key, and is told nobody before the store has counted it.
public enum UnlockAttempt: Equatable, Sendable {
    case password(isRight: Bool)
    /// By the right long secret. A wrong one counts for nothing: it has 256 bits, of which nobody guesses any.
    case longSecret
}

/// What came of an attempt.
public enum UnlockOutcome: Equatable, Sendable {
    case unlocked
    /// The password is wrong, and there is another try.
    case wrong
    /// It was locked before, or is from now on; whatever was found out of the attempt is told nobody.
    case locked
    case missing
}

/// What an attempt does to a key: three wrong passwords in a row lock it for good, for the long secret too.
public enum UnlockDecision: Equatable, Sendable {
    case unlock
    /// One failure more.
    case count
    /// The third in a row: the key is destroyed.
    case lock
    case refuse

    /// How many wrong passwords in a row lock a key.
    public static let maximumFailures: Int64 = 3

    /// - Parameters:
    ///   - failures: wrong passwords since the last right one.
    ///   - isLocked: whether the key was destroyed before.
    public static func decide(_ attempt: UnlockAttempt, failures: Int64, isLocked: Bool) -> UnlockDecision {
        guard !isLocked, failures < maximumFailures else { return .refuse }
        switch attempt {
        case .longSecret, .password(isRight: true): return .unlock
        case .password(isRight: false): return failures + 1 < maximumFailures ? .count : .lock
        }
    }
}

/// The keys of TIM's clients: nobody's, since who asks for one is not known.
public protocol UnlockKeyRepository: Sendable {
    /// Keeps a new key.
    ///
    /// - Parameter content: opaque; it is sealed for this key's row alone.
    func addUnlockKey(_ id: UnlockKeyID, content: [UInt8], now: Int64) async throws(RepositoryError)

    /// The key of that name; nil when there is none.
    func unlockKey(_ id: UnlockKeyID) async throws(RepositoryError) -> UnlockKey?

    /// Counts an attempt, and says what may be told of it: of any number that come at once, as many wrong passwords as
    /// ``UnlockDecision/maximumFailures`` are judged in all, and what comes after them is refused, whatever it was. The
    /// right password ends the row of wrong ones, and a long secret does not. The third wrong one destroys the content
    /// in the transaction that counts it, and the audit trail has it.
    func settleUnlock(
        _ id: UnlockKeyID, _ attempt: UnlockAttempt, now: Int64
    ) async throws(RepositoryError) -> UnlockOutcome

    /// Removes about `limit` keys that nobody has unlocked since a time, locked ones among them, in one short
    /// transaction.
    ///
    /// - Parameter time: seconds since 1970.
    /// - Returns: how many went.
    func sweepUnlockKeys(unusedSince time: Int64, limit: Int) async throws(RepositoryError) -> Int
}
