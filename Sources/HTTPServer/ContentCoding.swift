internal import Syntax

/// Whether the client takes gzip.
enum ContentCoding {
    /// Whether the Accept-Encoding fields allow gzip (RFC 9110 §12.5.3): named, or covered by `*`, with a weight over
    /// 0.
    static func acceptsGzip(_ head: RequestHead) -> Bool {
        var (named, any): (Bool?, Bool?) = (nil, nil)
        let bytes = head.bytes.span
        for field in head.fields where head.matches(field, "Accept-Encoding") {
            bytes.forEachListElement(field.value) { element in
                let semicolon = bytes.firstIndex(of: .semicolon, in: element) ?? element.upperBound
                let coding = bytes.trimmingBlanks(element.lowerBound..<semicolon)
                let isWanted = weightIsPositive(bytes, semicolon..<element.upperBound)
                if bytes.equalsIgnoringCase(coding, "gzip") || bytes.equalsIgnoringCase(coding, "x-gzip") {
                    named = isWanted
                } else if bytes.equalsIgnoringCase(coding, "*") {
                    any = isWanted
                }
            }
        }
        return named ?? any ?? false
    }

    /// Reads `;q=0.5` (RFC 9110 §12.4.2). What is not a weight counts as 0: an answer without gzip is never wrong.
    private static func weightIsPositive(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        if range.isEmpty { return true }
        let weight = bytes.trimmingBlanks(range.lowerBound + 1..<range.upperBound)
        guard
            (3...7).contains(weight.count), bytes[weight.lowerBound].lowercasedASCII == UInt8(ascii: "q"),
            bytes[weight.lowerBound + 1] == .equalsSign
        else { return false }
        let digits = weight.lowerBound + 2..<weight.upperBound
        let whole = bytes[digits.lowerBound]
        guard whole == 0x30 || whole == 0x31 else { return false }
        var isPositive = whole == 0x31
        for index in digits.dropFirst() {
            let isPoint = index == digits.lowerBound + 1
            guard isPoint ? bytes[index] == UInt8(ascii: ".") : bytes[index].isDigit else { return false }
            if !isPoint, bytes[index] != 0x30 {
                // No weight is over 1.
                guard whole == 0x30 else { return false }
                isPositive = true
            }
        }
        return isPositive
    }
}
