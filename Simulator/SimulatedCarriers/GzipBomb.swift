/// A JSON object of mebibytes, plain and as gzip (RFC 1952) of a hundredth of that.
enum GzipBomb {
    private static let start = Array(#"{"padding":""#.utf8)
    private static let end = Array(#""}"#.utf8)
    private static let filler = UInt8(ascii: "x")
    /// The longest match that deflate knows (RFC 1951 §3.2.5).
    private static let matchLength = 258
    private static let matches = 8 * 1_048_576 / matchLength

    /// About 8 MiB.
    static let plain = start + [UInt8](repeating: filler, count: matches * matchLength + 1) + end

    /// The same, compressed.
    static let compressed: [UInt8] = {
        var bits = BitWriter()
        // One final block with the fixed codes (RFC 1951 §3.2.6).
        bits.write(0b011, count: 3)
        for byte in start + [filler] { bits.writeCode(0x30 + UInt32(byte), count: 8) }
        for _ in 0..<matches {
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
        }
        for byte in end { bits.writeCode(0x30 + UInt32(byte), count: 8) }
        bits.writeCode(0, count: 7)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return header + bits.bytes + littleEndian(checksum(plain.span)) + littleEndian(UInt32(plain.count))
    }()

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var used = 0

        /// Numbers go in from their lowest bit (RFC 1951 §3.1.1).
        mutating func write(_ value: UInt32, count: Int) {
            for bit in 0..<count { append(UInt8(value >> UInt32(bit) & 1)) }
        }

        /// Huffman codes go in from their highest bit.
        mutating func writeCode(_ code: UInt32, count: Int) {
            for bit in (0..<count).reversed() { append(UInt8(code >> UInt32(bit) & 1)) }
        }

        private mutating func append(_ bit: UInt8) {
            if used == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= bit << UInt8(used)
            used = (used + 1) % 8
        }
    }

    /// CRC-32 (RFC 1952 §8).
    private static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
        let polynomial: UInt32 = 0xEDB8_8320
        var table: [UInt32] = []
        for index in 0..<256 as Range<UInt32> {
            var entry = index
            for _ in 0..<8 { entry = entry & 1 == 1 ? polynomial ^ (entry >> 1) : entry >> 1 }
            table.append(entry)
        }
        var value = UInt32.max
        for index in bytes.indices { value = table[Int((value ^ UInt32(bytes[index])) & 0xFF)] ^ (value >> 8) }
        return ~value
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(value >> UInt32($0 * 8) & 0xFF) }
    }
}
