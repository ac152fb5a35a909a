internal import Syntax

/// How often sign-ins failed in the same way: at one provider, for one reason, from one part of the net.
public struct FailedSignInCount: Equatable, Sendable {
    /// The configured name of the provider; nil where it was not known yet, or several are counted together.
    public var provider: String?
    /// The error's stable code, with the rule behind it where it has one.
    public var reason: String
    /// The network the requests came from, such as `192.0.2.0/24`; nil where several are counted together.
    public var network: String?
    public var count: Int
    /// What some of them were called in logs, hashed: found by who knows the name, and listed to nobody.
    public var names: [CorrelationHash]

    public init(provider: String?, reason: String, network: String?, count: Int, names: [CorrelationHash] = []) {
        (self.provider, self.reason, self.network, self.count, self.names) = (provider, reason, network, count, names)
    }
}

/// What a sign-in is called in logs, hashed for the counts of those that failed. It is an app's word, and an app may
/// put into it what stays the same for a person; so it is kept in no form that can be read or collected.
public struct CorrelationHash: Equatable, Sendable {
    private static let byteCount = 8

    /// Hexadecimal.
    let text: String

    /// - Parameter hash: of the name.
    public init(_ hash: TokenHash) {
        text = Hexadecimal.encode(Array(hash.bytes.prefix(Self.byteCount)))
    }

    private init(stored text: Substring) { self.text = String(text) }

    /// Several, as they are stored.
    package static func text(of hashes: [CorrelationHash]) -> String? {
        hashes.isEmpty ? nil : hashes.map(\.text).joined(separator: " ")
    }

    package static func hashes(in text: String?) -> [CorrelationHash] {
        text?.split(separator: " ").map { CorrelationHash(stored: $0) } ?? []
    }

    /// What LIKE finds it by among several; nil finds any.
    package static func pattern(_ hash: CorrelationHash?) -> String { hash.map { "% \($0.text) %" } ?? "%" }
}

/// Which counts are looked for.
public struct FailedSignInSearch: Sendable {
    /// Behind the row of this number; 0: from the first.
    public var after: Int64
    /// What one of them was called, in logs or by its request; nil: any.
    public var name: CorrelationHash?
    /// Of this provider; nil: of any.
    public var provider: String?
    /// Counts that ended at this second or later, since 1970.
    public var since: Int64
    /// Counts that ended before this second, since 1970.
    public var until: Int64
    public var limit: Int

    public init(
        after: Int64 = 0, named name: CorrelationHash? = nil, provider: String? = nil, since: Int64 = 0,
        until: Int64 = .max, limit: Int
    ) {
        (self.after, self.name, self.provider, self.since, self.until) = (after, name, provider, since, until)
        self.limit = limit
    }
}

/// A count as it is stored.
public struct FailedSignIns: Equatable, Sendable {
    /// Grows with every row.
    public var id: Int64
    /// When the count ended, in seconds since 1970; it began with the end of the one before, usually a minute earlier.
    public var at: Int64
    public var count: FailedSignInCount

    public init(id: Int64, at: Int64, count: FailedSignInCount) {
        (self.id, self.at, self.count) = (id, at, count)
    }
}
