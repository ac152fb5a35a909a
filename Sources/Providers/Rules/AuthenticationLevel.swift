internal import JSON
internal import Syntax

/// How strongly a user was authenticated: an `acr` value read as a level.
///
/// Carriers write one level in several ways: `a3`, `aal3`, `loa3`, `3`, `urn:telenor.identity.aal.3`. Levels are
/// compared as numbers, never as text: `a1` is not within `a13`, and `aal2` is not below `a3` because of its letters.
public struct AuthenticationLevel: Comparable, Sendable {
    public let rank: Int

    /// Reads an `acr` value; nil when it is no level but a class of its own, such as `phr` or a URL.
    public init?(_ acr: String) {
        let text = acr.utf8.span
        var digits = 0
        while digits < text.count, text[text.count - 1 - digits] &- 0x30 < 10 { digits += 1 }
        guard (1...2).contains(digits) else { return nil }
        rank = (text.count - digits..<text.count).reduce(0) { $0 * 10 + Int(text[$1] & 0x0F) }
        // The usual spelling, without a look at the others.
        if text.count == digits + 1, text[0] == UInt8(ascii: "a") { return }
        let prefix = acr.utf8.dropLast(digits).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        let isNamedLevel = Self.names.contains { prefix.elementsEqual($0.utf8) }
        let isURN =
            prefix.starts(with: "urn:".utf8)
            && Self.endingsOfURNs.contains { prefix.suffix($0.utf8.count).elementsEqual($0.utf8) }
        guard isNamedLevel || isURN else { return nil }
    }

    private static let names = ["a", "aal", "loa", ""]
    private static let endingsOfURNs = ["aal.", "aal:", "loa.", "loa:", "loa-"]

    /// A carrier's level in its present spelling, `a3` for `aal3`; any other class as it is.
    public static func normalized(_ acr: String) -> String {
        guard acr.hasPrefix("aal"), let level = AuthenticationLevel(acr) else { return acr }
        return "a\(level.rank)"
    }

    public static func < (left: AuthenticationLevel, right: AuthenticationLevel) -> Bool { left.rank < right.rank }
}

/// What `acr` an ID token must show (OpenID Connect Core §3.1.3.7 step 12).
public struct RequiredAuthentication: Sendable, Equatable {
    private let asked: [String]

    /// - Parameter values: `acr_values` as the app sent them, space separated, the lowest of which will do; or a
    ///   provider's minimum.
    /// - Returns: nil when nothing is asked.
    public init?(values: String) {
        // Nearly always it is one value, which need not be searched for characters.
        let isOne = !values.isEmpty && values.allBytes { $0 != .space }
        asked = isOne ? [values] : values.split(separator: " ").map(String.init)
        if asked.isEmpty { return nil }
    }

    /// What is asked, as an `acr_values` parameter says it.
    public var values: String { asked.joined(separator: " ") }

    /// Whether an `acr` is good enough: at least the lowest level asked or, where values are no levels, one of them.
    public func isMet(by acr: String?) -> Bool {
        guard let acr else { return false }
        if asked.contains(where: { $0.isExactly(acr) }) { return true }
        guard let shown = AuthenticationLevel(acr) else { return false }
        // At least one of them, and so the lowest.
        return asked.contains { AuthenticationLevel($0).map { shown >= $0 } ?? false }
    }
}
