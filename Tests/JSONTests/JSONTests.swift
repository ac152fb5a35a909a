import JSON
internal import Syntax
import Testing

@Suite struct `Reading JSON` {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test func `reads every kind of value`() throws {
        let value = try parse(#" {"a":[1,-2,1.5,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{}} "#)
        #expect(value["a"] == [1, -2, .number(1.5), true, false, .null, "x\né😀"])
        #expect(value["b"] == [:])
    }

    @Test func `keeps 64-bit integers exact and never takes a float for one`() throws {
        #expect(try parse("9223372036854775807").integer == .max)
        #expect(try parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try parse("-9223372036854775808").integer == .min)
        #expect(try parse("-9223372036854775809").integer == nil)
        #expect(try parse("99999999999999999999").integer == nil)
        #expect(try parse("-0").integer == 0)
        #expect(try parse("1e3").integer == nil)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "01", "1.", "-", "+1", "nul", "'a'", "\"\u{1}\"", "{\"a\" 1}", "1 2", "\"\\x\"",
        "[1", "{a:1}", "\"\\u12\"", ".5", "1e", "\u{FEFF}1",
    ])
    func `refuses what is not JSON`(_ text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test func `refuses a repeated member, also when it is spelled by escapes`() {
        #expect(throws: JSONError.duplicateMember("a")) { try parse(#"{"a":1,"\u0061":2}"#) }
    }

    @Test func `refuses a repeated member in an object of any size`() {
        let members = (0..<1000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        #expect(throws: JSONError.duplicateMember("m999")) { try parse("{\(members),\"m999\":0}") }
    }

    @Test func `refuses nesting past the limit`() throws {
        #expect(throws: JSONError.tooDeep) {
            try parse(String(repeating: "[", count: 33) + String(repeating: "]", count: 33))
        }
        _ = try parse(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
    }

    @Test func `refuses half a surrogate pair and bytes that are not UTF-8`() {
        #expect(throws: JSONError.invalidText(offset: 3)) { try parse(#""\ud800""#) }
        #expect(throws: JSONError.invalidText(offset: 1)) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func `holds no two texts for the same that are only equivalent`() throws {
        #expect("K" == "\u{212A}", "Swift's own comparison")
        #expect(!"K".isExactly("\u{212A}"))
        #expect(try parse(#"{"a":"K"}"#)["a"].isExactly("K"))
        #expect(try !parse(#"{"a":"K"}"#)["a"].isExactly("\u{212A}"))
        #expect(try !parse(#"{"a":1}"#)["a"].isExactly("1"))
        #expect(try !parse("{}")["a"].isExactly(""))
    }

    /// Texts are looked at in blocks, and what ends or breaks one may be anywhere in a block.
    @Test(arguments: 0...40) func `finds what ends a text wherever it is`(_ length: Int) throws {
        let plain = String(repeating: "x", count: length)
        for rest in ["", String(repeating: "y", count: 40)] {
            #expect(try parse("[\"\(plain)\",\"\(rest)\"]") == [.string(plain), .string(rest)])
            #expect(try parse("\"\(plain)\\n\(rest)\"").string == "\(plain)\n\(rest)")
            #expect(throws: JSONError.syntax(offset: 1 + length)) { try parse("\"\(plain)\u{1F}\(rest)\"") }
            #expect(throws: JSONError.syntax(offset: 0)) { try parse("\"\(plain)\(rest)") }
            let written = JSONValue.string("\(plain)\u{7F}\(rest)").serialized
            #expect(String(decoding: written, as: UTF8.self) == "\"\(plain)\\u007f\(rest)\"")
        }
    }

    @Test(arguments: [0, 1, 7, 8, 31, 32, 40, 64, 72]) func `takes all other characters for themselves`(_ length: Int)
        throws
    {
        for byte in UInt8(0x20)...0xFF {
            let character = Unicode.Scalar(byte)
            let text = String(repeating: "x", count: length) + String(character) + "y"
            if character == "\"" || character == "\\" { continue }
            #expect(try parse("[\"\(text)\",1]") == [.string(text), 1])
            if character == "\u{7F}" { continue }
            #expect(String(decoding: JSONValue.string(text).serialized, as: UTF8.self) == "\"\(text)\"")
        }
    }

    @Test(arguments: 0...72) func `finds what is no UTF-8 wherever it is`(_ length: Int) throws {
        for place in 0..<max(1, length) {
            var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            text.insert(0xC3, at: place)
            #expect(throws: JSONError.invalidText(offset: 1)) { try JSONValue(parsing: [0x22] + text + [0x22]) }
            text.insert(0xA9, at: place + 1)
            #expect(try JSONValue(parsing: [0x22] + text + [0x22]).string == String(decoding: text, as: UTF8.self))
        }
    }

    @Test func `writes integers of any length`() {
        let numbers: [Int64] = [
            0, 1, -1, 9, 10, -10, 99, 100, 1_790_000_000, -1_790_000_000, .max, .max - 1, .min, .min + 1,
        ]
        var writer = JSONWriter()
        writer.array { array in for number in numbers { array.integer(number) } }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == "[" + numbers.map(String.init).joined(separator: ",") + "]"
        )
    }

    @Test(arguments: 0...72) func `escapes what must be escaped wherever it is, in names and in values`(_ length: Int) {
        for (byte, escaped) in [
            ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1}", #"\u0001"#), ("\u{7F}", #"\u007f"#),
        ] {
            for place in 0...length {
                let (before, after) = (
                    String(repeating: "é", count: place), String(repeating: "a", count: length - place)
                )
                var writer = JSONWriter()
                writer.object { object in
                    object.member("a", Int64(1))
                    object.member(before + byte + after, before + byte + after)
                    object.member("b", before + after)
                }
                let text = before + escaped + after
                #expect(
                    String(decoding: writer.bytes, as: UTF8.self)
                        == #"{"a":1,"\#(text)":"\#(text)","b":"\#(before + after)"}"#)
            }
        }
    }

    @Test func `writes what it reads`() throws {
        let text = #"{"a":[1,true,null,"\"\\\n\u0001"],"b":{"c":-5}}"#
        #expect(String(decoding: try parse(text).serialized, as: UTF8.self) == text)
    }
}
