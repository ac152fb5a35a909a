/// A range of addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3); a lone address is a range of one.
public struct AddressRange: Sendable, Equatable, CustomStringConvertible {
    public let base: IPAddress
    public let prefixLength: Int
    /// The range as it was written.
    public let description: String

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or an address alone; nil for anything else, and for a range whose base has
    /// bits set beyond the prefix, because then one of the two is a slip.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let base = IPAddress(first) else { return nil }
        guard let length = parts.count == 2 ? Int(digits: parts[1]) : base.bitCount, length <= base.bitCount,
            base.keeping(bits: length) == base
        else { return nil }
        self.base = base
        prefixLength = length
        description = text
    }

    /// Whether the address lies in the range. An IPv4 address never lies in an IPv6 range, nor the other way round.
    public func contains(_ address: IPAddress) -> Bool { address.keeping(bits: prefixLength) == base }
}

extension FixedWidthInteger {
    /// Reads decimal digits and nothing else: neither a sign nor white space.
    public init?(digits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}
