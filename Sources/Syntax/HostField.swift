/// The value of a Host field, or the authority of an absolute-form target: a host and maybe a port (RFC 9110 §7.2).
public enum HostField {
    /// Whether it is one. An empty host is not, since no http address has one (RFC 9110 §4.2.1), nor is user
    /// information before a host.
    public static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = range.first else { return false }
        let hostEnd =
            bytes[first] == UInt8(ascii: "[") ? endOfAddress(bytes, range) : endOfName(bytes, range)
        guard let hostEnd else { return false }
        if hostEnd == range.upperBound { return true }
        return bytes[hostEnd] == .colon && isPort(bytes, hostEnd + 1..<range.upperBound)
    }

    /// The end of an IPv6 address in brackets.
    private static func endOfAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var colons = 0
        for index in range.dropFirst() {
            let byte = bytes[index]
            if byte == UInt8(ascii: "]") {
                return colons >= 2 && index - range.lowerBound <= 46 ? index + 1 : nil
            }
            if byte == .colon { colons += 1 }
            guard byte.hexadecimalValue != nil || byte == .colon || byte == UInt8(ascii: ".") else { return nil }
        }
        return nil
    }

    /// The end of a registered name or an IPv4 address.
    private static func endOfName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != .colon {
            if bytes[index].isNameCharacter {
                index += 1
            } else if bytes.isPercentEncoded(at: index, before: range.upperBound) {
                index += 3
            } else {
                return nil
            }
        }
        return index > range.lowerBound ? index : nil
    }

    private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var port = 0
        for index in range {
            guard bytes[index].isDigit else { return false }
            port = port * 10 + Int(bytes[index] & 0x0F)
            guard port <= 65_535 else { return false }
        }
        return true
    }
}
