import Syntax
import Testing

@Suite struct `Bytes that are looked into` {
    /// Those that a subtraction over several bytes at a time could take for another.
    private static let neighbours: [UInt8] = [0x00, 0x01, 0x09, 0x0B, 0x7F, 0x80, 0x8A, 0xFF]

    @Test(arguments: [0x00, 0x0A, 0x3A, 0x80, 0xFF] as [UInt8])
    func `a byte is found wherever it stands first, and nowhere else`(byte: UInt8) {
        for neighbour in Self.neighbours where neighbour != byte {
            var bytes = [UInt8](repeating: neighbour, count: 21)
            #expect(bytes.span.firstIndex(of: byte, in: 0..<21) == nil)
            for place in (0..<21).reversed() {
                bytes[place] = byte
                for start in 0...place { #expect(bytes.span.firstIndex(of: byte, in: start..<21) == place) }
                #expect(bytes.span.firstIndex(of: byte, in: 0..<place) == nil)
            }
        }
    }

    @Test func `a field's value has tabs, blanks and what is visible, and no control character anywhere`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<20 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
                bytes[place] = byte
                let isFieldContent = bytes.span.isFieldContent
                #expect(isFieldContent == byte.isFieldContent)
            }
        }
        let isFieldContent = [UInt8]().span.isFieldContent
        #expect(isFieldContent)
    }

    @Test(arguments: [("X-Name", true), ("", false), ("a b", false), ("a:", false), ("é", false)])
    func `a token has at least one byte and only those of tokens`(text: String, isToken: Bool) {
        let answer = Array(text.utf8).span.isToken
        #expect(answer == isToken)
    }

    @Test(arguments: [
        ("close", true), ("CLOSE", true), ("cLoSe", true), ("clos", false), ("closed", false),
        ("clos\u{45}\u{301}", false),
        ("cl\u{4F}se", true), ("{lose", false),
    ])
    func `a name is the same in any case`(text: String, isSame: Bool) {
        let bytes = Array("<\(text)>".utf8)
        #expect(bytes.span.equalsIgnoringCase(1..<bytes.count - 1, "close") == isSame)
    }
}
