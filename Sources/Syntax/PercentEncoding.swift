/// Percent-encoding (RFC 3986 §2.1), and the variant that forms use.
public enum PercentEncoding {
    /// Undoes it.
    ///
    /// - Parameters:
    ///   - range: the part of `bytes` that is encoded.
    ///   - plusIsSpace: as in forms.
    ///   - scratch: memory for what is decoded, so that texts which follow each other need it once. What it holds is
    ///     lost.
    /// - Returns: the text, or nil when a percent sign lacks its two digits or what comes out is not UTF-8.
    public static func decode(
        _ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool, scratch: inout [UInt8]
    ) -> String? {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != .percent, !(plusIsSpace && bytes[index] == .plus) { index += 1 }
        if index == range.upperBound { return text(bytes.extracting(range)) }
        scratch.removeAll(keepingCapacity: true)
        index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte == .percent {
                guard index + 2 < range.upperBound, let high = bytes[index + 1].hexadecimalValue,
                    let low = bytes[index + 2].hexadecimalValue
                else { return nil }
                scratch.append(high << 4 | low)
                index += 3
            } else {
                scratch.append(byte == .plus && plusIsSpace ? .space : byte)
                index += 1
            }
        }
        return text(scratch.span)
    }

    /// Appends a text with everything but the unreserved characters escaped (RFC 3986 §2.3).
    ///
    /// - Parameter spaceIsPlus: as in forms (RFC 6749 appendix B).
    public static func append(_ text: Span<UInt8>, to encoded: inout [UInt8], spaceIsPlus: Bool) {
        encoded.append(addingCapacity: text.count * 3) { output in
            for index in text.indices {
                let byte = text[index]
                if byte.isUnreserved {
                    output.append(byte)
                } else if byte == .space, spaceIsPlus {
                    output.append(.plus)
                } else {
                    output.append(.percent)
                    output.append((byte >> 4).uppercaseHexadecimalDigit)
                    output.append((byte & 15).uppercaseHexadecimalDigit)
                }
            }
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> String? {
        guard let valid = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: valid)
    }
}

/// `application/x-www-form-urlencoded`, as RFC 6749 appendix B wants it: UTF-8, everything but the unreserved
/// characters escaped, a space as `+`.
public enum FormEncoding {
    /// Appends `name=value`, after an `&` when something stands before.
    ///
    /// - Parameter name: goes out as it is.
    public static func append(_ name: String, _ value: String, to body: inout [UInt8]) {
        if !body.isEmpty { body.append(.ampersand) }
        body.append(contentsOf: name.utf8)
        body.append(.equalsSign)
        append(value.utf8.span, to: &body)
    }

    /// Appends one encoded value.
    public static func append(_ value: Span<UInt8>, to body: inout [UInt8]) {
        PercentEncoding.append(value, to: &body, spaceIsPlus: true)
    }
}
