/// The byte classes of RFC 9110 and RFC 3986, as bit maps of the ASCII range.
extension UInt8 {
    @inlinable public static var tab: UInt8 { 0x09 }
    @inlinable public static var lineFeed: UInt8 { 0x0A }
    @inlinable public static var carriageReturn: UInt8 { 0x0D }
    @inlinable public static var space: UInt8 { 0x20 }
    @inlinable public static var percent: UInt8 { 0x25 }
    @inlinable public static var asterisk: UInt8 { 0x2A }
    @inlinable public static var plus: UInt8 { 0x2B }
    @inlinable public static var comma: UInt8 { 0x2C }
    @inlinable public static var slash: UInt8 { 0x2F }
    @inlinable public static var colon: UInt8 { 0x3A }
    @inlinable public static var semicolon: UInt8 { 0x3B }
    @inlinable public static var equalsSign: UInt8 { 0x3D }
    @inlinable public static var questionMark: UInt8 { 0x3F }
    @inlinable public static var ampersand: UInt8 { 0x26 }

    /// Space or tab.
    @inlinable public var isBlank: Bool { self == .space || self == .tab }
    @inlinable public var isDigit: Bool { self &- 0x30 < 10 }
    @inlinable public var isAlphanumeric: Bool { isLetter || isDigit }
    @inlinable public var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    @inlinable public var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit of either case; nil for any other byte.
    @inlinable public var hexadecimalValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// RFC 9110 §5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inlinable public var isToken: Bool { isIn(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// RFC 9110 §5.5: visible characters, bytes over 127, space and tab; so no control byte.
    @inlinable public var isFieldContent: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

    /// RFC 3986 §2.3: letters, digits and `-._~`, which stand for themselves everywhere in a URL.
    @inlinable public var isUnreserved: Bool { isIn(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// RFC 3986 §3.3: what stands for itself in a path segment: unreserved, sub-delims, `:` and `@`; `%` is not one.
    @inlinable public var isPathCharacter: Bool { isIn(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// RFC 3986 §3.2.2: what stands for itself in a registered name: unreserved and sub-delims.
    @inlinable public var isNameCharacter: Bool { isIn(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    @inlinable
    func isIn(low: UInt64, high: UInt64) -> Bool {
        let bit: UInt64 = 1 << UInt64(self & 63)
        return self < 64 ? low & bit != 0 : self < 128 && high & bit != 0
    }
}
