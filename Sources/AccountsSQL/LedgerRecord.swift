package import Accounts
import Syntax

/// What a restored backup would undo, and must not: numbers and names of keys, and nothing of anybody.
///
/// A subject is not in it, sealed or not: the ledger is never rewritten, so it would outlive the erasure of its user.
/// What a user has gained since the backup is therefore not in it either, such as the identity at the new carrier; what
/// the user has lost is, even if somebody else has it now.
package enum LedgerRecord: Hashable {
    case userErased(UserID)
    /// The account became part of another one, its identities with their numbers, and its sessions ended.
    case usersMerged(UserID, into: UserID)
    case identityUnlinked(IdentityID, of: UserID)
    /// The identity went to another carrier or another user, and all sessions of its user ended.
    case identityMoved(IdentityID, from: UserID)
    /// What was last said of a user, or of one of their identities: also that a lock has ended. The operator's words
    /// are not in it.
    case locked(UserID, IdentityID?, Lock.Cause, since: Int64, until: Int64?)
    /// By every identity.
    case unlocked(UserID)
    /// By its `kid`.
    case signingKeyRetired(String)
    /// With one of these keys anybody can make refresh tokens.
    case refreshKeysReplaced(upTo: Int64)
    /// A restore has set aside all numbers up to these.
    case numbersPassed(users: Int64, identities: Int64, events: Int64)
    /// A line in time was drawn that demands more than a later beginning: that the provider has asked the user anew.
    case lineDrawn(LineOwner, at: Int64, authenticatedAfter: Int64?)

    /// Whose sign-ins a line bars.
    package enum LineOwner: Hashable {
        case user(UserID)
        case identity(IdentityID)
        /// An app's, a provider's or everybody's, by the key of its row.
        case scope(key: String)
    }

    /// Its words in a line.
    package var text: String {
        switch self {
        case .userErased(let user): "user_erased \(user.rawValue)"
        case .usersMerged(let absorbed, let kept): "users_merged \(absorbed.rawValue) \(kept.rawValue)"
        case .identityUnlinked(let identity, let user): "identity_unlinked \(user.rawValue) \(identity.rawValue)"
        case .identityMoved(let identity, let user): "identity_moved \(user.rawValue) \(identity.rawValue)"
        case .locked(let user, let identity, let cause, let since, let until):
            "locked \(user.rawValue) \(identity?.rawValue ?? 0) \(since) \(until ?? 0) \(cause.rawValue)"
        case .unlocked(let user): "unlocked \(user.rawValue)"
        case .signingKeyRetired(let kid): "signing_key_retired \(kid)"
        case .refreshKeysReplaced(let number): "refresh_keys_replaced \(number)"
        case .numbersPassed(let users, let identities, let events): "numbers_passed \(users) \(identities) \(events)"
        case .lineDrawn(let owner, let at, let after): "line_drawn \(owner.text) \(at) \(after ?? 0)"
        }
    }

    /// - Returns: nil when a line has no such words.
    package init?(words: [Substring]) {
        let numbers = words.dropFirst().compactMap { Int64($0) }
        switch (words.first, words.count, numbers.count) {
        case ("user_erased", 2, 1): self = .userErased(UserID(rawValue: numbers[0]))
        case ("users_merged", 3, 2):
            self = .usersMerged(UserID(rawValue: numbers[0]), into: UserID(rawValue: numbers[1]))
        case ("identity_unlinked", 3, 2):
            self = .identityUnlinked(IdentityID(rawValue: numbers[1]), of: UserID(rawValue: numbers[0]))
        case ("identity_moved", 3, 2):
            self = .identityMoved(IdentityID(rawValue: numbers[1]), from: UserID(rawValue: numbers[0]))
        case ("locked", 6, 4):
            guard let cause = Lock.Cause(rawValue: String(words[5])) else { return nil }
            self = .locked(
                UserID(rawValue: numbers[0]), numbers[1] == 0 ? nil : IdentityID(rawValue: numbers[1]), cause,
                since: numbers[2], until: numbers[3] == 0 ? nil : numbers[3])
        case ("unlocked", 2, 1): self = .unlocked(UserID(rawValue: numbers[0]))
        case ("signing_key_retired", 2, _): self = .signingKeyRetired(String(words[1]))
        case ("refresh_keys_replaced", 2, 1): self = .refreshKeysReplaced(upTo: numbers[0])
        case ("numbers_passed", 4, 3):
            self = .numbersPassed(users: numbers[0], identities: numbers[1], events: numbers[2])
        case ("line_drawn", 5, let count) where count >= 2:
            guard let owner = LineOwner(words[1], words[2]), let at = Int64(words[3]), let after = Int64(words[4])
            else {
                return nil
            }
            self = .lineDrawn(owner, at: at, authenticatedAfter: after == 0 ? nil : after)
        default: return nil
        }
    }
}

extension LedgerRecord.LineOwner {
    /// Two words; a key may have blanks, and is told in hexadecimal digits.
    fileprivate var text: String {
        switch self {
        case .user(let user): "user \(user.rawValue)"
        case .identity(let identity): "identity \(identity.rawValue)"
        case .scope(let key): "scope \(Hexadecimal.encode(Array(key.utf8)))"
        }
    }

    fileprivate init?(_ kind: Substring, _ name: Substring) {
        switch kind {
        case "user":
            guard let number = Int64(name) else { return nil }
            self = .user(UserID(rawValue: number))
        case "identity":
            guard let number = Int64(name) else { return nil }
            self = .identity(IdentityID(rawValue: number))
        case "scope":
            guard let bytes = Hexadecimal.decode(String(name)) else { return nil }
            self = .scope(key: String(decoding: bytes, as: UTF8.self))
        default: return nil
        }
    }
}

/// A record as it stands in the ledger: its number, when it was made in seconds since 1970, what it says, and the proof
/// that we have written it.
package struct LedgerLine: Hashable {
    package let number: Int64
    package let at: Int64
    package let record: LedgerRecord

    private var text: String { "\(number) \(at) \(record.text)" }

    /// - Parameter key: of the purpose ``SecretKey/Purpose/ledger``.
    /// - Returns: the line without its end.
    package func proven(by key: [UInt8], _ sealer: any Sealer) -> String {
        text + " " + Self.proof(of: text, key, sealer)
    }

    package init(number: Int64, at: Int64, record: LedgerRecord) {
        (self.number, self.at, self.record) = (number, at, record)
    }

    /// - Returns: nil when it is no line that one of the keys proves.
    package init?(_ line: Substring, keys: [[UInt8]], _ sealer: any Sealer) {
        guard let space = line.lastIndex(of: " ") else { return nil }
        let (text, proof) = (line[..<space], line[line.index(after: space)...])
        // In constant time there is nothing to gain: who can try lines sees nothing of the outcome.
        guard keys.contains(where: { Self.proof(of: String(text), $0, sealer) == proof }) else { return nil }
        let words = text.split(separator: " ")
        guard words.count > 2, let number = Int64(words[0]), let at = Int64(words[1]),
            let record = LedgerRecord(words: Array(words[2...]))
        else { return nil }
        self.init(number: number, at: at, record: record)
    }

    private static func proof(of text: String, _ key: [UInt8], _ sealer: any Sealer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let code = sealer.authenticationCode(of: Array(text.utf8), under: key)
        return String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
