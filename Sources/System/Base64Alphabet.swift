/// The two alphabets of RFC 4648, as tables, and the loops over them, which check once what they may touch.
public struct Base64Alphabet: Sendable {
    /// Marks a byte that is no symbol of the alphabet; no six bits have its upper two bits set.
    static let noSymbol: UInt8 = 0xFF

    /// RFC 4648 §4.
    public static let standard = Base64Alphabet(symbol62: UInt8(ascii: "+"), symbol63: UInt8(ascii: "/"))
    /// RFC 4648 §5, for URLs and file names.
    public static let url = Base64Alphabet(symbol62: UInt8(ascii: "-"), symbol63: UInt8(ascii: "_"))

    private var symbols = InlineArray<64, UInt8>(repeating: 0)
    private var values = InlineArray<256, UInt8>(repeating: noSymbol)

    private init(symbol62: UInt8, symbol63: UInt8) {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { $0 }
        let digits = (UInt8(ascii: "0")...UInt8(ascii: "9")).map { $0 }
        for (value, symbol) in (letters + letters.map { $0 + 0x20 } + digits + [symbol62, symbol63]).enumerated() {
            symbols[value] = symbol
            values[Int(symbol)] = UInt8(value)
        }
    }

    /// The number of symbols that so many bytes become, without padding.
    public static func symbolCount(ofBytes count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Writes the symbols for bytes, without padding.
    public func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        let symbols = symbols.span
        let index = bytes.count / 3 * 3
        precondition(output.freeCapacity >= Self.symbolCount(ofBytes: bytes.count))
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            // Safe: `index` is not beyond the bytes, six bits are an index of the 64 symbols, and there is room for
            // four symbols of every three bytes, as was checked above.
            var (start, end) = (0, count)
            while start < index {
                let (first, second) = unsafe (UInt32(bytes[unchecked: start]), UInt32(bytes[unchecked: start &+ 1]))
                let group = unsafe first << 16 | second << 8 | UInt32(bytes[unchecked: start &+ 2])
                unsafe buffer[end] = symbols[unchecked: Int(group >> 18)]
                unsafe buffer[end &+ 1] = symbols[unchecked: Int(group >> 12 & 63)]
                unsafe buffer[end &+ 2] = symbols[unchecked: Int(group >> 6 & 63)]
                unsafe buffer[end &+ 3] = symbols[unchecked: Int(group & 63)]
                start &+= 3
                end &+= 4
            }
            count = end
        }
        switch bytes.count - index {
        case 1:
            let group = UInt32(bytes[index]) << 16
            output.append(symbols[Int(group >> 18 & 63)])
            output.append(symbols[Int(group >> 12 & 63)])
        case 2:
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            output.append(symbols[Int(group >> 18 & 63)])
            output.append(symbols[Int(group >> 12 & 63)])
            output.append(symbols[Int(group >> 6 & 63)])
        default: break
        }
    }

    /// Writes the bytes that unpadded symbols stand for.
    /// - Returns: false when a byte is no symbol, the length is impossible, or unused bits are not zero.
    public func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        let values = values.span
        var seen: UInt8 = 0
        let index = text.count / 4 * 4
        precondition(output.freeCapacity >= text.count * 3 / 4)
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            // Safe: `index` is not beyond the text, every byte is an index of the 256 values, and there is room for
            // three bytes of every four symbols, as was checked above.
            var (start, end) = (0, count)
            while start < index {
                let a = unsafe values[unchecked: Int(text[unchecked: start])]
                let b = unsafe values[unchecked: Int(text[unchecked: start &+ 1])]
                let c = unsafe values[unchecked: Int(text[unchecked: start &+ 2])]
                let d = unsafe values[unchecked: Int(text[unchecked: start &+ 3])]
                seen |= a | b | c | d
                let group = UInt32(a) << 18 | UInt32(b) << 12 | UInt32(c) << 6 | UInt32(d)
                unsafe buffer[end] = UInt8(truncatingIfNeeded: group >> 16)
                unsafe buffer[end &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
                unsafe buffer[end &+ 2] = UInt8(truncatingIfNeeded: group)
                start &+= 4
                end &+= 3
            }
            count = end
        }
        switch text.count - index {
        case 0: return seen < 64
        case 2:
            let a = values[Int(text[index])]
            let b = values[Int(text[index + 1])]
            output.append(a << 2 | b >> 4)
            return seen | a | b < 64 && b & 0x0F == 0
        case 3:
            let a = values[Int(text[index])]
            let b = values[Int(text[index + 1])]
            let c = values[Int(text[index + 2])]
            output.append(a << 2 | b >> 4)
            output.append(b << 4 | c >> 2)
            return seen | a | b | c < 64 && c & 0x03 == 0
        default: return false
        }
    }
}
