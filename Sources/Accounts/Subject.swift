internal import Syntax

/// Who somebody is at an OpenID Provider: the pair of issuer and `sub`, which is the only key users are found by
/// (OpenID Connect Core §5.7: "sub" alone, a phone number or an email address identify nobody).
///
/// Printing or dumping it shows nothing, so that no log line can carry a `sub`.
public struct Subject: Hashable, Sendable {
    public let issuer: String
    /// The `sub` as the issuer wrote it: opaque, compared byte for byte.
    public let value: String

    public init(issuer: String, value: String) {
        (self.issuer, self.value) = (issuer, value)
    }

    // Swift's String equality holds canonically equivalent texts for equal; OpenID Connect Core §2 says that a `sub`
    // is case sensitive and §5.7 that it never changes, so only the same bytes are the same subject.
    public static func == (left: Subject, right: Subject) -> Bool {
        left.value.utf8.elementsEqual(right.value.utf8) && left.issuer.utf8.elementsEqual(right.issuer.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in value.utf8 { hasher.combine(byte) }
        hasher.combine(0 as UInt8)
        for byte in issuer.utf8 { hasher.combine(byte) }
    }

    /// Whether both have the same `sub`, of whichever issuer.
    public func hasSameValue(as other: Subject) -> Bool {
        value.utf8.elementsEqual(other.value.utf8)
    }
}

extension Subject {
    /// A subject that somebody entered by hand or brought from elsewhere.
    ///
    /// - Returns: nil for one that no ID token could have.
    public static func given(issuer: String, value: String) -> Subject? {
        guard value.isSubject, !issuer.hasControlCharacters else { return nil }
        return Subject(issuer: issuer, value: value)
    }
}

extension Subject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
