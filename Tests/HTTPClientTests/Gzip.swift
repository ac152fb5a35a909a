/// Makes gzip (RFC 1952) out of deflate blocks (RFC 1951) written by hand.
enum Gzip {
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// One stored block.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        let block = [1] + littleEndian(length) + littleEndian(~length) + bytes
        return header + block + littleEndian(checksum(bytes)) + littleEndian(UInt32(bytes.count))
    }

    /// So many zeros in about a hundred-and-fiftieth of the room: one literal and then copies of the byte before.
    static func zeros(atLeast count: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.write(0b011, 3)  // the last block, with the fixed codes
        bits.writeCode(0b0011_0000, 8)  // literal 0
        for _ in 0...(count / 258) {
            bits.writeCode(0b1100_0101, 8)  // length 258
            bits.writeCode(0, 5)  // distance 1
        }
        bits.writeCode(0, 7)
        return header + bits.bytes + [0, 0, 0, 0, 0, 0, 0, 0]
    }

    /// Blocks that hold nothing, so that the body grows and its content does not.
    static func emptyBlocks(_ count: Int) -> [UInt8] {
        header + Array(repeatElement([0, 0, 0, 0xFF, 0xFF], count: count).joined())
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<(Number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        private var used = 8

        /// Numbers go in from their lowest bit.
        mutating func write(_ number: Int, _ width: Int) {
            for bit in 0..<width {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                if number >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << used }
                used += 1
            }
        }

        /// Huffman codes go in from their highest bit.
        mutating func writeCode(_ code: Int, _ width: Int) {
            for bit in (0..<width).reversed() { write(code >> bit & 1, 1) }
        }
    }
}
