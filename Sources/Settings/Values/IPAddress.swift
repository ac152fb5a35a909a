/// An IPv4 or IPv6 address, in network byte order.
public enum IPAddress: Sendable, Equatable {
    /// Four bytes.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])

    public var bytes: [UInt8] {
        switch self {
        case .v4(let bytes), .v6(let bytes): bytes
        }
    }

    /// 127.0.0.0/8 or ::1 (RFC 6890 §2.2).
    public var isLoopback: Bool {
        switch self {
        case .v4(let bytes): bytes.first == 127
        case .v6(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// 0.0.0.0 or ::, which a listener takes for every address and nobody can be reached at (RFC 6890 §2.2).
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Reads dotted decimal, or the forms of RFC 4291 §2.2; nil for anything else, zone identifiers among it.
    public init?(_ text: some StringProtocol) {
        if text.contains(":") {
            guard let bytes = Self.sixteenBytes(text) else { return nil }
            self = .v6(bytes)
        } else {
            guard let bytes = Self.fourBytes(text) else { return nil }
            self = .v4(bytes)
        }
    }

    private static func fourBytes(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // A leading zero means octal to some readers and decimal to others.
            guard part == "0" || part.first != "0", let byte = UInt8(digits: part) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func sixteenBytes(_ text: some StringProtocol) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            guard let bytes = groups(text), bytes.count == 16 else { return nil }
            return bytes
        }
        let after = text[gap.upperBound...]
        guard let head = gap.lowerBound == text.startIndex ? [] : groups(text[..<gap.lowerBound], isEnd: false),
            let tail = after.isEmpty ? [] : groups(after), head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Groups of hexadecimal digits between colons; the last of the whole address may be an IPv4 address.
    private static func groups(_ text: some StringProtocol, isEnd: Bool = true) -> [UInt8]? {
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if isEnd, index == parts.count - 1, part.contains(".") {
                guard let four = fourBytes(part) else { return nil }
                bytes += four
            } else {
                guard (1...4).contains(part.utf8.count), part.first?.isHexDigit == true,
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}

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
        let bits = base.bytes.count * 8
        guard let length = parts.count == 2 ? Int(digits: parts[1]) : bits, length <= bits else { return nil }
        self.base = base
        prefixLength = length
        description = text
        guard masked(base.bytes) == base.bytes else { return nil }
    }

    /// Whether the address lies in the range. An IPv4 address never lies in an IPv6 range, nor the other way round.
    public func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count && masked(address.bytes) == base.bytes
    }

    private func masked(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = max(0, min(8, prefixLength - index * 8))
            return kept == 0 ? 0 : byte & (0xFF << (8 - UInt8(kept)))
        }
    }
}
