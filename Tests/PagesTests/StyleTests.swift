import Testing

@testable import Pages

@Suite struct `The style of the pages` {
    /// The colours by name, of the light and of the dark palette.
    private func palettes() throws -> [[String: String]] {
        try "\(Style.sheet)".split(separator: ":root{", omittingEmptySubsequences: false).dropFirst().map { palette in
            let declarations = palette.prefix { $0 != "}" }.split(separator: ";")
            return try Dictionary(
                uniqueKeysWithValues: declarations.map { declaration in
                    let parts = declaration.split(separator: ":", maxSplits: 1)
                    return (String(try #require(parts.first)), String(try #require(parts.last)))
                })
        }
    }

    /// WCAG 2.2, "relative luminance".
    private func luminance(_ color: String?) throws -> Double {
        let color = try #require(color)
        try #require(color.count == 7)
        let number = try #require(UInt32(color.dropFirst(), radix: 16))
        let channels = [16, 8, 0].map { shift in
            let value = Double(number >> UInt32(shift) & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    /// To the power of 2.4, without a library for it: twelve fifths, the fifth root by Newton's method.
    private func power(_ base: Double) -> Double {
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
        return base * base * root * root
    }

    private func contrast(_ first: String, _ second: String, _ palette: [String: String]) throws -> Double {
        let (one, other) = (try luminance(palette[first]), try luminance(palette[second]))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    @Test func `has the contrast of WCAG's level AA in light and in dark, for text 4.5 and for edges 3`() throws {
        let palettes = try palettes()
        #expect(palettes.count == 2)
        let texts = [
            ("--ink", "--sheet"), ("--ink", "--ground"), ("--soft", "--sheet"), ("--on-accent", "--accent"),
            ("--on-warning", "--warning"),
        ]
        for palette in palettes {
            for (text, ground) in texts { #expect(try contrast(text, ground, palette) >= 4.5, "\(text) on \(ground)") }
            for edge in ["--line", "--accent"] { #expect(try contrast(edge, "--sheet", palette) >= 3, "\(edge)") }
        }
        // The measure itself: black on white is 21, and #767676 is the lightest grey that has 4.5 on white.
        let known = ["black": "#000000", "white": "#ffffff", "grey": "#767676", "lighter": "#777777"]
        #expect(try abs(contrast("black", "white", known) - 21) < 0.001)
        #expect(try contrast("grey", "white", known) >= 4.5 && contrast("lighter", "white", known) < 4.5)
    }

    @Test func `cannot end before its element does`() {
        #expect(!"\(Style.sheet)".contains("<"))
    }
}
