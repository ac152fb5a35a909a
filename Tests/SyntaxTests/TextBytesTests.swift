import Syntax
import Testing

struct TextBytesTests {
    @Test(arguments: 0..<20) func `finds a NUL wherever in a text it stands`(place: Int) {
        for neighbour in ["a", "\u{1}", "\u{80}", "\u{FF}", "é"] {
            let before = String(repeating: neighbour, count: place)
            #expect((before + "\0" + neighbour).hasNUL)
            #expect((before + "\0").hasNUL)
            #expect(!(before + neighbour).hasNUL)
        }
    }

    @Test func `an empty text has no NUL`() {
        #expect(!"".hasNUL)
    }

    @Test(arguments: 0..<20) func `finds what is no printable ASCII wherever in a text it stands`(place: Int) {
        for scalar in 0..<0x180 as Range<UInt32> {
            guard let scalar = Unicode.Scalar(scalar) else { continue }
            let isPrintable = (0x20..<0x7F).contains(scalar.value)
            let isControl = scalar.properties.generalCategory == .control
            for neighbour in [" ", "~"] {
                let before = String(repeating: neighbour, count: place)
                for text in ["\(before)\(scalar)", "\(before)\(scalar)\(neighbour)\(neighbour)"] {
                    #expect(text.isPrintableASCII == isPrintable, "\(scalar.value)")
                    #expect(text.hasControlCharacters == isControl, "\(scalar.value)")
                }
            }
        }
    }
}
