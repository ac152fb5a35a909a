/// What was found out of an attempt to unlock a key, and is told nobody before the store has counted it.
package enum UnlockAttempt: Equatable, Sendable {
    case password(isRight: Bool)
    /// By the right long secret. A wrong one counts for nothing: it has 256 bits, of which nobody guesses any.
    case longSecret
}

/// What a right secret is shown for.
package enum UnlockPurpose: Equatable, Sendable {
    case unlocking
    /// To take the key out of use, for good.
    case revoking
}

/// What came of an attempt.
package enum UnlockOutcome: Equatable, Sendable {
    case unlocked
    /// The password is wrong, and there is another try.
    case wrong
    /// It was locked before, or is from now on; whatever was found out of the attempt is told nobody.
    case locked
    case missing
}

/// What an attempt does to a key: three wrong passwords in a row lock it for good, for the long secret too.
package enum UnlockDecision: Equatable, Sendable {
    case unlock
    /// One failure more.
    case count
    /// The third in a row: the key is destroyed.
    case lock
    case refuse

    /// How many wrong passwords in a row lock a key.
    package static let maximumFailures: Int64 = 3

    /// - Parameters:
    ///   - failures: wrong passwords since the last right one.
    ///   - isLocked: whether the key was destroyed before.
    package static func decide(_ attempt: UnlockAttempt, failures: Int64, isLocked: Bool) -> UnlockDecision {
        guard !isLocked, failures < maximumFailures else { return .refuse }
        switch attempt {
        case .longSecret, .password(isRight: true): return .unlock
        case .password(isRight: false): return failures + 1 < maximumFailures ? .count : .lock
        }
    }
}
