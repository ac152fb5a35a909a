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
        (self.high, self.low) = (high, low)
    }

    /// The four bytes of an IPv4 address, most significant first; nil for IPv6.
    public var v4: UInt32? { isIPv6 ? nil : UInt32(high >> 32) }

    /// How many bits it has.
    public var bitCount: Int { isIPv6 ? 128 : 32 }

    /// 127.0.0.0/8 or ::1 (RFC 6890 §2.2).
    public var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : high >> 56 == 127 }

    /// 0.0.0.0 or ::, which a listener takes for every address and nobody can be reached at (RFC 6890 §2.2).
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// The IPv4 address for one that is mapped into IPv6, `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2), which is how a socket
    /// for both calls an IPv4 peer; else the address itself.
    public var unmapped: IPAddress {
        isIPv6 && high == 0 && low >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: low)) : self
    }

    /// What one customer of an access provider has at least: an IPv4 address, or the /64 network of an IPv6 address. An
    /// IPv4 address that is mapped, or translated by the well-known prefix (`64:ff9b::192.0.2.1`, RFC 6052 §2.1), is
    /// itself, or all of IPv4 would be one customer.
    public var customer: IPAddress {
        let isTranslated = isIPv6 && high == 0x0064_FF9B_0000_0000 && low >> 32 == 0
        let address = isTranslated ? IPAddress(v4: UInt32(truncatingIfNeeded: low)) : unmapped
        return address.isIPv6 ? IPAddress(v6: address.high, 0) : address
    }

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

extension IPAddress {
    /// Reads dotted decimal, or the forms of RFC 4291 §2.2; nil for anything else, zone identifiers among it.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let address = bytes.contains(.colon) ? Self.v6(bytes) : Self.v4(bytes[...]).map(IPAddress.init(v4:))
        else {
            return nil
        }
        self = address
    }

    /// The four-part decimal form, and no other.
    private static func v4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            // A leading zero means octal to some readers and decimal to others.
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                part.allSatisfy(\.isDigit)
            else { return nil }
            let number = part.reduce(0) { $0 * 10 + UInt32($1 & 0x0F) }
            guard number < 256 else { return nil }
            address = address << 8 | number
        }
        return address
    }

    /// Groups of hexadecimal digits between colons, two colons in a row for zeros; the end may be an IPv4 address.
    private static func v6(_ bytes: [UInt8]) -> IPAddress? {
        var groups: [UInt16] = []
        /// How many groups stand before the two colons.
        var gap: Int?
        var index = 0
        if bytes.starts(with: "::".utf8) { (gap, index) = (0, 2) }
        while index < bytes.count {
            let end = bytes[index...].firstIndex(of: .colon) ?? bytes.endIndex
            let part = bytes[index..<end]
            if part.contains(UInt8(ascii: ".")) {
                guard end == bytes.endIndex, let address = v4(part) else { return nil }
                groups += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
                break
            }
            guard (1...4).contains(part.count), part.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
            groups.append(part.reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) })
            if end == bytes.endIndex { break }
            index = end + 1
            guard index < bytes.endIndex else { return nil }
            if bytes[index] == .colon {
                guard gap == nil else { return nil }
                gap = groups.count
                index += 1
            }
        }
        if let gap {
            // Two colons stand for one group at least.
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        func word(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
        return IPAddress(v6: word(groups[..<4]), word(groups[4...]))
    }
}

/// The networks around an address that access providers give one customer (RFC 6177), and how many times as much as one
/// client the whole of each may do: who has the widest could come from another /64 each time.
public enum CustomerNetworks {
    public static let ofIPv6: [(bits: Int, worth: Int64)] = [(64, 1), (56, 4), (48, 16)]
    public static let ofIPv4: [(bits: Int, worth: Int64)] = [(32, 1)]

    /// - Parameter customer: as ``IPAddress/customer``.
    public static func around(_ customer: IPAddress) -> [(bits: Int, worth: Int64)] {
        customer.isIPv6 ? ofIPv6 : ofIPv4
    }
}
