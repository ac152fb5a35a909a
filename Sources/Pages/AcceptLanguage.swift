internal import Syntax

/// Chooses by the Accept-Language field (RFC 9110 §12.5.4).
enum AcceptLanguage {
    /// In bytes. No browser sends as much, and nobody shall make us read more.
    static let longest = 1024

    /// The language of the greatest weight, among equals the one named first.
    ///
    /// - Parameter field: the field's value, which may be anything.
    /// - Returns: nil when none of ours is wanted, or the field is too long.
    static func choice(of field: String) -> PageLanguage? {
        guard field.utf8.count <= longest else { return nil }
        var named: [(language: PageLanguage, weight: Int)] = []
        var others = 0
        let bytes = field.utf8.span
        bytes.forEachListElement(0..<bytes.count) { element in
            let semicolon = bytes.firstIndex(of: .semicolon, in: element) ?? element.upperBound
            let range = bytes.trimmingBlanks(element.lowerBound..<semicolon)
            guard let weight = thousandths(bytes, semicolon..<element.upperBound) else { return }
            if bytes.equals(range, "*") {
                others = max(others, weight)
            } else if let language = PageLanguage(tag: bytes.extracting(range)) {
                named.append((language, weight))
            }
        }
        // The star stands for what is not named (RFC 4647 §3.3.1), so it brings nothing back that a weight of 0
        // excludes.
        let unnamed = PageLanguage.allCases.first { language in !named.contains { $0.language == language } }
        if let unnamed { named.append((unnamed, others)) }
        let greatest = named.lazy.map(\.weight).max() ?? 0
        return greatest > 0 ? named.first { $0.weight == greatest }?.language : nil
    }

    /// A weight (RFC 9110 §12.4.2), which has at most three decimals.
    ///
    /// - Parameter parameters: nothing, or a semicolon and what follows it.
    /// - Returns: 1000 where nothing is said; nil for what is no weight.
    private static func thousandths(_ bytes: Span<UInt8>, _ parameters: Range<Int>) -> Int? {
        if parameters.isEmpty { return 1000 }
        let weight = bytes.trimmingBlanks(parameters.lowerBound + 1..<parameters.upperBound)
        guard (3...7).contains(weight.count), bytes.equalsIgnoringCase(weight.prefix(2), "q=") else { return nil }
        var (value, unit) = (0, 1000)
        for (place, index) in weight.dropFirst(2).enumerated() {
            if place == 1 {
                guard bytes[index] == UInt8(ascii: ".") else { return nil }
            } else {
                guard bytes[index].isDigit else { return nil }
                value += Int(bytes[index] - UInt8(ascii: "0")) * unit
                unit /= 10
            }
        }
        return value <= 1000 ? value : nil
    }
}
