/// Text that people approve, or that they are shown as somebody's name: what is there must be what they see.
///
/// Two texts look alike where one has characters that nobody sees, and one reads as another where characters turn the
/// direction of writing. Such characters are refused but where a script cannot do without them (UTS #39 §3.1, UAX #31
/// §2.3): joiners between letters that join, and what makes an emoji of other characters. How long a text may be is
/// the caller's to say.
public enum VisibleText {
    /// What is wrong with a text, as it completes "The parameter … ".
    public enum Fault: String, Error, Sendable, CaseIterable {
        case control = "has control characters"
        case direction = "has characters that change the direction of writing"
        case invisible = "has characters that nobody can see"
    }

    private static let zeroWidthNonJoiner: Unicode.Scalar = "\u{200C}"
    private static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"
    private static let enclosingKeycap: Unicode.Scalar = "\u{20E3}"
    /// As text, and as a picture.
    private static let emojiSelectors: ClosedRange<Unicode.Scalar> = "\u{FE0E}"..."\u{FE0F}"
    /// They mark what is explained by a text between the lines, and are not drawn, though no property says so.
    private static let annotations: ClosedRange<Unicode.Scalar> = "\u{FFF9}"..."\u{FFFB}"

    /// What is wrong with a text.
    ///
    /// - Parameter mayHaveLines: whether line feeds and tabs are taken.
    /// - Returns: the first fault; nil for a text that is as it looks.
    public static func fault(of text: String, mayHaveLines: Bool = false) -> Fault? {
        if text.isPrintableASCII { return nil }
        let scalars = Array(text.unicodeScalars)
        for index in scalars.indices {
            if let fault = fault(at: index, of: scalars, mayHaveLines) { return fault }
        }
        return nil
    }

    private static func fault(at index: Int, of scalars: [Unicode.Scalar], _ mayHaveLines: Bool) -> Fault? {
        let scalar = scalars[index]
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control: return mayHaveLines && (scalar == "\n" || scalar == "\t") ? nil : .control
        case .lineSeparator, .paragraphSeparator: return .control
        default: break
        }
        if properties.isBidiControl { return .direction }
        if annotations.contains(scalar) { return .invisible }
        guard properties.isDefaultIgnorableCodePoint else { return nil }
        let isNeeded =
            switch scalar {
            case zeroWidthNonJoiner: separates(index, scalars) || followsVirama(index, scalars)
            case zeroWidthJoiner: followsVirama(index, scalars) || joinsEmoji(index, scalars)
            case emojiSelectors: selectsEmoji(index, scalars)
            default: false
            }
        return isNeeded ? nil : .invisible
    }

    /// UAX #31 §2.3.1, A1: between two letters that would join without it, as in Persian.
    private static func separates(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard let before = scalars[..<index].last(where: { !isTransparent($0) }),
            let after = scalars[(index + 1)...].first(where: { !isTransparent($0) })
        else { return false }
        return JoiningType.joinsNext(before) && JoiningType.joinsPrevious(after)
    }

    /// UAX #31 §2.3.1, A2 and B: behind a letter whose vowel is taken away, as in Indic scripts, and before a letter
    /// or the end of the word; never before a sign that would belong to it.
    private static func followsVirama(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[..<index].reversed().drop {
            isTransparent($0) && $0.properties.canonicalCombiningClass != .virama
        }
        guard before.first?.properties.canonicalCombiningClass == .virama,
            before.dropFirst().first(where: { !isTransparent($0) })?.properties.isAlphabetic == true
        else { return false }
        let isJoiner = scalars[index] == zeroWidthJoiner
        guard let after = scalars[(index + 1)...].first else { return isJoiner }
        switch after.properties.generalCategory {
        case .otherLetter, .modifierLetter: return true
        case .nonspacingMark, .spacingMark, .enclosingMark, .format: return false
        default: return isJoiner
        }
    }

    /// UTS #51: between two pictures that make one.
    private static func joinsEmoji(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[..<index].last { !emojiSelectors.contains($0) }
        guard let before, let after = scalars[(index + 1)...].first else { return false }
        return isPicture(before) && isPicture(after)
    }

    /// UTS #51: behind a picture, or between a digit and the key around it.
    private static func selectsEmoji(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard let before = scalars[..<index].last, before.properties.isEmoji else { return false }
        return !before.isASCII || scalars[(index + 1)...].first == enclosingKeycap
    }

    /// Digits are emoji by their property, since keys are made of them.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool { !scalar.isASCII && scalar.properties.isEmoji }

    /// What stands over or under a letter and lets it join. A joiner is not one: two in a row separate nothing.
    private static func isTransparent(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .nonspacingMark && !scalar.properties.isDefaultIgnorableCodePoint
    }
}
