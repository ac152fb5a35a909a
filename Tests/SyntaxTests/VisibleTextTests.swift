import Syntax
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A text that people see` {
    @Test(arguments: [
        "", "Pay 20 $ to Acme", "Zoë O’Brien", "李小龍", "محمد علي", "דוד כהן", "นางสาว", "Ünal Ğöktürk", "Δημήτρης",
        // With a combining accent, and in another plane.
        "e\u{301}te\u{301}", "𝒥ane",
    ])
    func `may be in any script`(text: String) { #expect(VisibleText.fault(of: text) == nil) }

    @Test(arguments: [
        // A joiner between letters that would join (Persian), also over vowel signs.
        "می\u{200C}خواهم", "مِیْ\u{200C}خواهم",
        // Behind a letter whose vowel is taken away: Hindi, Sinhala, Malayalam at the end of a word.
        "क्\u{200D}ष", "क्\u{200C}ष", "ශ්\u{200D}රී", "അവന്\u{200D}", "അവന്\u{200D} പോയി",
    ])
    func `may have joiners where its script needs them`(text: String) { #expect(VisibleText.fault(of: text) == nil) }

    @Test(arguments: [
        "I ❤\u{FE0F} you", "☎\u{FE0E}", "1\u{FE0F}\u{20E3}", "👩\u{200D}💻", "👨\u{200D}👩\u{200D}👧", "🏳\u{FE0F}\u{200D}🌈",
        "👩🏽\u{200D}🚀",
    ])
    func `may have emoji`(text: String) { #expect(VisibleText.fault(of: text) == nil) }

    @Test(arguments: [
        "\u{202E}", "\u{202D}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{200E}", "\u{200F}", "\u{61C}",
    ])
    func `sets no direction of writing`(character: String) {
        #expect(VisibleText.fault(of: "Pay 10\(character)00") == .direction)
        #expect(VisibleText.fault(of: character + "כהן", mayHaveLines: true) == .direction)
    }

    @Test(arguments: [
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{2064}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{115F}",
        "\u{1160}", "\u{17B4}", "\u{180E}", "\u{180B}", "\u{3164}", "\u{FFA0}", "\u{FE0F}", "\u{FE00}", "\u{FFF9}",
        "\u{E0001}", "\u{E0041}", "\u{E0100}", "\u{1D173}",
    ])
    func `has nothing that nobody sees`(character: String) {
        for text in ["ad\(character)min", character, "10\(character)", "\(character)علي", "李\(character)"] {
            #expect(VisibleText.fault(of: text) == .invisible, "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test(arguments: [
        // Nothing joins: an alef joins no letter behind it; two joiners; none before; a digit that is no key.
        "ا\u{200C}ب", "می\u{200C}\u{200C}خواهم", "\u{200C}خواهم", "می\u{200C}", "می\u{200C} خواهم", "1\u{FE0F}00",
        // No vowel is taken away; a joiner before a vowel sign; a joiner beside a letter.
        "क\u{200D}ष", "क्\u{200D}ि", "👩\u{200D}a", "a\u{200D}👩", "👩\u{200D}\u{200D}💻", "❤\u{FE0F}\u{FE0F}",
    ])
    func `has no joiner and no selector that changes nothing`(text: String) {
        #expect(VisibleText.fault(of: text) == .invisible)
    }

    @Test(arguments: ["\u{0}", "\u{1B}", "\r", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}"])
    func `has no control characters`(character: String) {
        for mayHaveLines in [false, true] {
            #expect(VisibleText.fault(of: "a\(character)b", mayHaveLines: mayHaveLines) == .control)
        }
    }

    @Test(arguments: ["\n", "\t"]) func `has lines and columns only where it may`(character: String) {
        #expect(VisibleText.fault(of: "a\(character)b") == .control)
        #expect(VisibleText.fault(of: "a\(character)b", mayHaveLines: true) == nil)
        #expect(VisibleText.fault(of: "é\(character)b", mayHaveLines: true) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A subject identifier` {
    @Test func `is anything of 1 to 255 bytes that is not a control character`() {
        for text in ["s", "auth0|abc", "Ä\u{200B}", String(repeating: "s", count: 255), "a b", "\u{A0}", "\u{480}"] {
            #expect(text.isSubject)
        }
        for text in ["", String(repeating: "s", count: 256), "\u{0}", "a\u{0}", "a\n", "\u{7F}", "a\u{80}b", "\u{9F}"] {
            #expect(!text.isSubject)
        }
    }
}
