/// A key our own tokens are signed with. Stored, so that every instance signs and publishes the same keys.
public struct SigningKey: Equatable, Sendable {
    public var entry: SigningKeyEntry
    /// The private key, in the form the caller reads keys in; the store seals it.
    public var privateKey: [UInt8]

    /// The `kid` (RFC 7517 §4.5).
    public var kid: String { entry.kid }

    public init(entry: SigningKeyEntry, privateKey: [UInt8]) {
        (self.entry, self.privateKey) = (entry, privateKey)
    }

    /// A new key.
    ///
    /// - Parameter signsFrom: nil for a key that may sign as soon as it is there.
    public init(
        kid: String, purpose: SigningKeyEntry.Purpose, privateKey: [UInt8], createdAt: Int64, signsFrom: Int64? = nil
    ) {
        self.init(
            entry: SigningKeyEntry(
                kid: kid, purpose: purpose, createdAt: createdAt, signsFrom: signsFrom ?? createdAt,
                isLasting: purpose == .receipt, retiredAt: nil),
            privateKey: privateKey)
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "SigningKey(\(kid))" }
    public var customMirror: Mirror { Mirror(self, children: ["kid": kid]) }
}

/// What becomes of a key that somebody wants to be rid of.
public enum KeyRetirement: Equatable, Sendable {
    case retired
    /// It was retired before, at that time, in seconds since 1970.
    case retiredBefore(at: Int64)
    /// It signs: another one must, first.
    case signs(SigningKeyEntry.Purpose)
    case unknown
}

/// All that is told of a signing key: everything but the key.
public struct SigningKeyEntry: Equatable, Sendable {
    /// What a key signs. No key ever signs anything else, so what one of them vouches for can't be passed off as the
    /// other.
    public enum Purpose: String, Sendable, CaseIterable {
        /// The access tokens of sessions, which are good for minutes.
        case session
        /// Receipts of transactions, which are proof for years.
        case receipt
        /// The ID tokens of our own apps that expect RS256; good for minutes, too.
        case idToken = "id_token"
        /// Assertions of who we are, for providers that read our keys; by what they are signed with.
        case clientRS256 = "client_rs256", clientES256 = "client_es256"
    }

    /// The `kid` (RFC 7517 §4.5).
    public var kid: String
    public var purpose: Purpose
    /// Seconds since 1970.
    public var createdAt: Int64
    /// When it begins to sign, in seconds since 1970; until then it is only published.
    public var signsFrom: Int64
    /// Whether it stays until somebody retires it, because what it has signed is proof for years.
    public var isLasting: Bool
    /// When it was taken out of use for good, in seconds since 1970. The private key has gone then.
    public var retiredAt: Int64?

    public init(
        kid: String, purpose: Purpose, createdAt: Int64, signsFrom: Int64, isLasting: Bool, retiredAt: Int64?
    ) {
        (self.kid, self.purpose, self.createdAt, self.signsFrom) = (kid, purpose, createdAt, signsFrom)
        (self.isLasting, self.retiredAt) = (isLasting, retiredAt)
    }
}

// The entries of a store, the newest first.
extension [SigningKeyEntry] {
    /// Which key signs: the newest that may; where none may, the oldest. A retired one never does.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil when there is none.
    public func signing(_ purpose: SigningKeyEntry.Purpose, now: Int64) -> SigningKeyEntry? {
        let usable = usable(purpose)
        return usable.first { $0.signsFrom <= now } ?? usable.last
    }

    /// The keys that have signed nothing that is still valid: a newer one has signed in their place for longer than
    /// anything they have signed is good for. Lasting keys are never among them.
    ///
    /// - Parameters:
    ///   - lifetime: how long what the keys of this purpose sign is good for at most, in seconds.
    ///   - now: seconds since 1970.
    public func outlived(
        _ purpose: SigningKeyEntry.Purpose, lifetime: Int64, now: Int64
    ) -> [SigningKeyEntry] {
        var replacedAt: Int64?
        var outlived: Self = []
        for entry in usable(purpose) {
            if let replacedAt, !entry.isLasting, replacedAt + lifetime < now { outlived.append(entry) }
            // Of several newer ones it is the first to sign that has taken this one's place.
            let signsFrom = Swift.max(entry.signsFrom, entry.createdAt)
            if signsFrom <= now { replacedAt = Swift.min(replacedAt ?? signsFrom, signsFrom) }
        }
        return outlived
    }

    private func usable(_ purpose: SigningKeyEntry.Purpose) -> Self {
        filter { $0.purpose == purpose && $0.retiredAt == nil }
    }
}
