import System
import Testing

@Suite struct `Bytes` {
    @Test func `bytes are read as words, the first byte the lowest, wherever a word begins`() {
        let bytes = [UInt8](0..<20)
        for offset in 0...12 {
            let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(offset + $1) << UInt64(8 * $1) }
            #expect(bytes.span.word(at: offset) == word)
        }
    }

    @Test(arguments: ["", "a", "seven s", "eight by", "nine byte", "sixteen bytes a.", "and a few more than that"])
    func `become a text when they are ASCII`(text: String) {
        #expect(String(utf8: Array(text.utf8).span) == text)
        let isASCII = Array(text.utf8).span.isASCII
        #expect(isASCII)
    }

    @Test(arguments: ["é", "eight byé", "€", "behind a whole word 😀", "é and a whole word behind it"])
    func `become a text when they are UTF-8`(text: String) {
        #expect(String(utf8: Array(text.utf8).span) == text)
        let isASCII = Array(text.utf8).span.isASCII
        #expect(!isASCII)
    }

    @Test(arguments: [
        [0x80], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0xF4, 0x90, 0x80, 0x80],
        Array("12345678".utf8) + [0xFF],
    ])
    func `become no text when they are neither`(bytes: [UInt8]) {
        #expect(String(utf8: bytes.span) == nil)
    }

    @Test func `bytes are appended behind what is there`() {
        var bytes: [UInt8] = [1]
        bytes.append(addingCapacity: 8) { output in
            output.append(2)
            output.append([UInt8](3...5).span)
            output.append([UInt8]().span)
            output.append(6)
        }
        #expect(bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [0, 9, 10, -1, 1_234_567_890, .max, .min] as [Int64])
    func `a number is appended in decimal, behind a text`(number: Int64) {
        let bytes = [UInt8](capacity: 24) { output in
            output.append(text: "n = ")
            output.append(decimal: number)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "n = \(number)")
    }
}
