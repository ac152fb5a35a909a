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
}
