/// The byte classes of RFC 9110 and RFC 3986, as bit maps of the ASCII range.
extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2A
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equalsSign: UInt8 = 0x3D
    static let questionMark: UInt8 = 0x3F
    static let ampersand: UInt8 = 0x26

    /// Space or tab.
    var isBlank: Bool { self == .space || self == .tab }
    var isDigit: Bool { self &- 0x30 < 10 }
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    var hexadecimalValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// RFC 9110 §5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    var isToken: Bool { isIn(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// RFC 9110 §5.5: visible characters, bytes over 127, space and tab; so no control byte.
    var isFieldContent: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

    /// RFC 3986 §3.3: what stands for itself in a path segment: unreserved, sub-delims, `:` and `@`; `%` is not one.
    var isPathCharacter: Bool { isIn(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// RFC 3986 §3.2.2: what stands for itself in a registered name: unreserved and sub-delims.
    var isNameCharacter: Bool { isIn(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    private func isIn(low: UInt64, high: UInt64) -> Bool {
        let bit: UInt64 = 1 << UInt64(self & 63)
        return self < 64 ? low & bit != 0 : self < 128 && high & bit != 0
    }
}
