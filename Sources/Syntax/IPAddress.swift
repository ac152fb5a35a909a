/// An IPv4 or IPv6 address, in two words, so that it is stored and compared without memory of its own.
public struct IPAddress: Sendable, Hashable {
    public let isIPv6: Bool
    /// The first eight bytes, most significant first; of an IPv4 address its four, and then zeros.
    public let high: UInt64
    /// The last eight bytes of an IPv6 address; zero for IPv4.
    public let low: UInt64

    /// - Parameter v4: the four bytes, most significant first.
    public init(v4: UInt32) {
        isIPv6 = false
        high = UInt64(v4) << 32
        low = 0
    }

    /// - Parameters:
    ///   - high: the first eight bytes, most significant first.
    ///   - low: the last eight bytes.
    public init(v6 high: UInt64, _ low: UInt64) {
        isIPv6 = true
        self.high = high
        self.low = low
    }

    /// The four bytes of an IPv4 address, most significant first; nil for IPv6.
    public var v4: UInt32? { isIPv6 ? nil : UInt32(high >> 32) }

    /// How many bits it has.
    public var bitCount: Int { isIPv6 ? 128 : 32 }

    /// 127.0.0.0/8 or ::1 (RFC 6890 §2.2).
    public var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : high >> 56 == 127 }

    /// 0.0.0.0 or ::, which a listener takes for every address and nobody can be reached at (RFC 6890 §2.2).
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// What one customer of an access provider has: an IPv4 address, or the /64 network of an IPv6 address.
    public var customer: IPAddress { isIPv6 ? IPAddress(v6: high, 0) : self }

    /// The address with every bit after the first `count` cleared.
    public func keeping(bits count: Int) -> IPAddress {
        func kept(_ word: UInt64, _ count: Int) -> UInt64 {
            count >= 64 ? word : count <= 0 ? 0 : word & ~(UInt64.max >> UInt64(count))
        }
        return isIPv6
            ? IPAddress(v6: kept(high, count), kept(low, count - 64))
            : IPAddress(v4: UInt32(kept(high, min(count, 32)) >> 32))
    }
}

extension IPAddress: CustomStringConvertible {
    /// `192.0.2.1` or `2001:db8::1` (RFC 5952 §4).
    public var description: String {
        guard isIPv6 else {
            return stride(from: 56, through: 32, by: -8).map { String(high >> UInt64($0) & 0xFF) }
                .joined(separator: ".")
        }
        let groups = [high, low].flatMap { word in
            stride(from: 48, through: 0, by: -16).map { word >> UInt64($0) & 0xFFFF }
        }
        func text(_ groups: some Sequence<UInt64>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = Self.longestZeros(groups) else { return text(groups) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// The first of the longest runs of zeros; a lone zero is none.
    private static func longestZeros(_ groups: [UInt64]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            let run = start..<index + 1
            if run.count > max(1, longest?.count ?? 0) { longest = run }
        }
        return longest
    }
}
