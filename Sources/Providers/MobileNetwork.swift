/// A mobile network: the country code of three digits and the network code of two or three (ITU-T E.212).
public struct MobileNetwork: Sendable, Hashable {
    /// Country and network code together, five or six digits.
    public let mccmnc: String

    /// - Returns: nil unless the text is five or six ASCII digits.
    public init?(_ text: String) {
        guard (5...6).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        mccmnc = text
    }

    /// ZenKey knows six digits only: United States networks have three-digit codes.
    public var hasSixDigits: Bool { mccmnc.utf8.count == 6 }
}
