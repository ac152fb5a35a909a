extension Contact {
    /// What two spellings of one address or number have in common, which is what users are found by.
    ///
    /// Of an e-mail address: white space around it goes, and ASCII letters become small, those before the @ too: the
    /// standard tells `Jane@` from `jane@` (RFC 5321 §2.4), people and their providers do not. Other letters stay as
    /// they are. Of a telephone number: its digits behind a +, without a leading 00.
    ///
    /// - Returns: nil when nothing is left.
    public func normalized(_ value: String) -> String? {
        switch self {
        case .email:
            let bytes = value.utf8.drop { $0 <= 0x20 }
            let end = bytes.lastIndex { $0 > 0x20 }
            guard let end else { return nil }
            return String(
                decoding: bytes[...end].map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
        case .phoneNumber:
            // RFC 3966 §3: parameters of a number, such as an extension, stand behind a semicolon.
            var digits = value.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { (0x30...0x39).contains($0) }
            if digits.starts(with: "00".utf8) { digits.removeFirst(2) }
            return digits.isEmpty ? nil : "+" + String(decoding: digits, as: UTF8.self)
        }
    }

    /// What is hashed to find a value; nil when there is nothing to find.
    public func searchTerm(_ value: String) -> [UInt8]? {
        normalized(value).map { Array("\(rawValue)\0\($0)".utf8) }
    }
}

/// A user who was found by an address or a number.
public struct ContactMatch: Equatable, Sendable {
    public var user: UserSummary
    /// Whose word it is that the value is this user's; one for each who says so.
    public var givers: [GivenContact.Giver]

    public init(user: UserSummary, givers: [GivenContact.Giver]) {
        (self.user, self.givers) = (user, givers)
    }
}

/// Who was found by an address or a number.
public struct ContactSearch: Equatable, Sendable {
    /// The users whose provider says that it has verified the value come first, then those whose provider gave it, then
    /// those who say so themselves: made-up accounts with somebody's address can't bury the right one.
    public var matches: [ContactMatch]
    /// Whether there are more than were asked for.
    public var hasMore: Bool
    /// Whether everybody is in the index yet; false for a while after an update from an older version.
    public var isComplete: Bool

    public init(matches: [ContactMatch], hasMore: Bool, isComplete: Bool) {
        (self.matches, self.hasMore, self.isComplete) = (matches, hasMore, isComplete)
    }
}
