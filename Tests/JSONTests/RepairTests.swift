import JSON
import Testing

@Suite struct `Reading JSON that needs repair` {
    private func read(_ bytes: [UInt8], strict: Set<String> = ["sub"]) throws(JSONError) -> JSONValue {
        try JSONValue(repairing: bytes.span, strict: strict)
    }

    private func read(_ text: String, strict: Set<String> = ["sub"]) throws(JSONError) -> JSONValue {
        try read(Array(text.utf8), strict: strict)
    }

    @Test func `repairs nothing in what is right`() throws {
        let text = #"{"sub":"s","name":"Ann 😀","more":[1,{"a":null}]}"#
        #expect(try read(text) == JSONValue(parsing: Array(text.utf8)))
        #expect(try !read(text).hasDoubt)
    }

    @Test func `passes over a byte order mark`() throws {
        #expect(try read("\u{FEFF} {\"sub\":\"s\"}") == ["sub": "s"])
        #expect(throws: JSONError.syntax(offset: 0)) { try JSONValue(parsing: Array("\u{FEFF}{}".utf8)) }
        #expect(throws: JSONError.self) { try read("\u{FEFF}\u{FEFF}{}") }
    }

    @Test(
        arguments: [
            (#"{"name":"Ann \ud83d"}"#, "Ann \u{FFFD}"), (#"{"name":"\ude00 Ann"}"#, "\u{FFFD} Ann"),
            (#"{"name":"\ud83d\u0041"}"#, "\u{FFFD}A"), (#"{"name":"\ud83d\ud83d\ude00"}"#, "\u{FFFD}😀"),
        ])
    func `puts a replacement character in the place of half a pair`(text: String, shown: String) throws {
        let name = try #require(try read(text)["name"])
        #expect(name.shown == .string(shown))
        #expect(name.string == nil && !name.isExactly(shown) && !name.isNull, "no rule can take it for a text")
    }

    @Test func `puts one in the place of bytes that are no UTF-8`() throws {
        let latin1 = Array(#"{"sub":"s","name":"Ren"#.utf8) + [0xE9] + Array(#""}"#.utf8)
        #expect(try read(latin1)["name"]?.shown == "Ren\u{FFFD}")
        #expect(try read(latin1)["sub"] == "s")
    }

    @Test func `has no value for a member that stands there twice, but to show where both are the same`() throws {
        let document = try read(#"{"sub":"s","a":"x","a":"y","b":"x","b":"x","c":1,"c":1,"c":2}"#)
        for name in ["a", "b", "c"] { #expect(document[name]?.string == nil && document[name]?.integer == nil) }
        #expect(document["a"]?.shown == nil && document["b"]?.shown == "x" && document["c"]?.shown == nil)
        #expect(document.object?.members.map(\.name) == ["sub", "a", "b", "c"])
    }

    @Test(
        arguments: [
            #"{"sub":"s","sub":"s"}"#, #"{"sub":"s","sub":"t"}"#, #"{"sub":"s\ud83d"}"#, #"{"sub":["a","\ud83d"]}"#,
            #"{"sub":{"value":"a","value":"b"}}"#, #"{"sub":"s","\u0073ub":"t"}"#,
        ])
    func `refuses a member that something is decided by`(text: String) {
        #expect(throws: JSONError.doubtfulMember("sub")) { try read(text) }
    }

    @Test func `shows what lies deeper without what is doubtful there`() throws {
        let document = try read(#"{"address":{"locality":"Z\udc00rich","street":"a","street":"b"},"n":["\ud800",1]}"#)
        #expect(document.hasDoubt && document["address"]?.object != nil)
        #expect(document["address"]?.shown == ["locality": "Z\u{FFFD}rich"])
        #expect(document["n"]?.shown == ["\u{FFFD}", 1])
    }

    @Test(arguments: ["", "{", "{\"a\":1,}", "[1,]", "{\"a\":\"\u{1}\"}", "\u{FEFF}", "{\"a\":\"\\ud83d\"", "nul"])
    func `refuses what no repair makes JSON`(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func `has no more members again than somebody writes by mistake`() throws {
        func text(_ count: Int) -> String {
            "{" + (0..<count).map { "\"m\($0)\":1,\"m\($0)\":2" }.joined(separator: ",") + "}"
        }
        #expect(try read(text(64)).object?.members.count == 64)
        #expect(throws: JSONError.duplicateMember("m64")) { try read(text(65)) }
    }

    @Test func `nests no deeper than what is strict`() {
        let text = "\u{FEFF}" + String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        #expect(throws: JSONError.tooDeep) { try read(text) }
    }

    @Test func `finds a repeated member in an object of any size`() throws {
        let members = (0..<1000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let document = try read("{\(members),\"m999\":0}")
        #expect(document["m999"]?.integer == nil && document["m998"] == 998)
        #expect(document.object?.members.count == 1000)
    }
}
