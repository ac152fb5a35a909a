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
