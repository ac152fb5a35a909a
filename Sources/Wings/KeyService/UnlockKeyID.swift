internal import Syntax

/// The name of a key of the KeyService: 128 random bits. Anyone who knows it may try three passwords.
package struct UnlockKeyID: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// - Returns: nil unless there are exactly sixteen bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The first sixteen bytes.
    package init(copying bytes: Span<UInt8>) {
        self.bytes = (0..<Self.byteCount).map { bytes[$0] }
    }

    /// Reads the text form: 32 lowercase hexadecimal digits.
    package init?(text: String) {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            // One name has one text: digits in upper case are none.
            guard let value = digit.hexadecimalValue, digit == value.hexadecimalDigit else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard high == nil else { return nil }
        self.init(bytes)
    }

    package var text: String { Hexadecimal.encode(bytes) }
}
