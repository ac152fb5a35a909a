import Testing

@testable import YAML

@Suite struct `YAML` {
    /// A value without its lines, to compare with.
    indirect enum Plain: Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral {
        case null
        case text(String)
        case list([Plain])
        case mapping([String: Plain])

        init(stringLiteral value: String) { self = .text(value) }
        init(arrayLiteral elements: Plain...) { self = .list(elements) }
        init(nilLiteral: ()) { self = .null }

        init(_ node: YAMLNode) {
            switch node.content {
            case .null: self = .null
            case .text(let text): self = .text(text)
            case .list(let nodes): self = .list(nodes.map { Plain($0) })
            case .mapping(let entries):
                self = .mapping(Dictionary(entries.map { ($0.key, Plain($0.value)) }) { first, _ in first })
            }
        }
    }

    private func read(_ text: String) throws -> Plain { Plain(try YAMLDocument(parsing: text).root) }

    @Test(
        arguments: [
            ("a: b", .mapping(["a": "b"])),
            ("a: b\nc: d\n", .mapping(["a": "b", "c": "d"])),
            ("a:\n  b: c\nd: e", .mapping(["a": .mapping(["b": "c"]), "d": "e"])),
            ("a:\n\n   # comment\n   b: c   # more\n\n# end", .mapping(["a": .mapping(["b": "c"])])),
            ("---\na: b", .mapping(["a": "b"])),
            ("\u{FEFF}a: b", .mapping(["a": "b"])),
            ("a: b\r\nc:\r\n  d: e\r\n", .mapping(["a": "b", "c": .mapping(["d": "e"])])),
            ("a:\n- b\n- c\nd: e", .mapping(["a": ["b", "c"], "d": "e"])),
            ("a:\n  - b\n  -\n  - c # x", .mapping(["a": ["b", nil, "c"]])),
            ("- # x\n  a: b", [.mapping(["a": "b"])]),
            ("a: # x\n  b", .mapping(["a": "b"])),
            ("a:\nb: ~\nc: null\nd: ''\ne: \"null\"", .mapping(["a": nil, "b": nil, "c": nil, "d": "", "e": "null"])),
            (
                "a: {b: c, d: [e, f], g: {}, h: []}",
                .mapping(["a": .mapping(["b": "c", "d": ["e", "f"], "g": .mapping([:]), "h": []])])
            ),
            ("a: [b,\n  c, # x\n  d,\n]\ne: f", .mapping(["a": ["b", "c", "d"], "e": "f"])),
            ("{\"a\":b, c: , d: e}", .mapping(["a": "b", "c": nil, "d": "e"])),
            ("u: http://x.example/a:b#c", .mapping(["u": "http://x.example/a:b#c"])),
            ("a: b c  # d", .mapping(["a": "b c"])),
            ("a: 'it''s # fine'", .mapping(["a": "it's # fine"])),
            ("a: \"\\t\\\"\\\\\\/\\u00e9\\x41\\U0001F600\\n\"", .mapping(["a": "\t\"\\/éA😀\n"])),
            ("'a b': c\n\"d\": e", .mapping(["a b": "c", "d": "e"])),
            ("a : b", .mapping(["a": "b"])),
            ("a: -1\nb: -x\nc: ::1", .mapping(["a": "-1", "b": "-x", "c": "::1"])),
            ("a: é😀", .mapping(["a": "é😀"])),
            ("", nil),
            ("# nothing\n\n", nil),
            ("[a]", ["a"]),
        ] as [(String, Plain)])
    func `it is read as every YAML reader reads it`(text: String, value: Plain) throws {
        #expect(try read(text) == value)
    }

    @Test(arguments: [
        ("a: *b", 1, 4), ("a: &b c", 1, 4), ("a: !!int 3", 1, 4), ("a: |\n  b", 1, 4), ("a: >\n  b", 1, 4),
        ("%YAML 1.2\n---\na: b", 1, 1), ("a: @b", 1, 4), ("a: `b`", 1, 4), ("? a\n: b", 1, 1), ("a: - b", 1, 4),
        ("a: b: c", 1, 5), ("a: 'b' c", 1, 8), ("a: \"b\"#c", 1, 7), ("a: b\n c", 2, 2), ("a: b\n  c: d", 2, 3),
        ("a:\n    b: c\n  d: e", 3, 3), ("  a: b\nc: d", 2, 1), ("a:\n\tb: c", 2, 1), ("a: 'b", 1, 6),
        ("a: \"b\n  c\"", 1, 6), ("a: \"\\q\"", 1, 5), ("a: \"\\ud800\"", 1, 7), ("a: \"\\u12\"", 1, 7),
        ("a: [b", 1, 6), ("a: [b, , c]", 1, 8), ("a: [b c: d]", 1, 8), ("a: {b}", 1, 6), ("a: {b: c", 1, 9),
        ("a: [b]]", 1, 7), ("a: b\n---\nc: d", 2, 1), ("a: b\n...\n", 2, 1), ("a: b\nc", 2, 2), ("a: \u{01}", 1, 4),
        ("a: b\rc: d", 1, 5), ("a: b\u{85}c: d", 1, 5), ("a: b\u{2028}", 1, 5), ("a: b\n\u{FEFF}c: d", 2, 1),
        ("a: \"b\0\"", 1, 6), ("a: é\u{9F}", 1, 6), ("&a b: c", 1, 1), ("a: {b: !t [c]}", 1, 8), ("a: {? b: c}", 1, 5),
        ("a: [: b]", 1, 5),
        ("a: 'b\nc: d\n", 1, 6), ("a: b\n? c\n: d", 2, 1), ("{a: b}: c", 1, 7), ("a:\n- b\n-c", 3, 3), ("[a]: b", 1, 4),
        ("a: [?b]", 1, 5),
    ])
    func `what readers differ on, or configuration has no use for, is refused with its place`(
        text: String, line: Int, column: Int
    ) {
        let error = #expect(throws: YAMLError.self) { try YAMLDocument(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.expected.isEmpty == false)
    }

    @Test(arguments: ["[", "{a: ", "- \n "]) func `depth is bounded`(opening: String) {
        var text = ""
        for level in 0..<100 {
            text += opening == "- \n " ? String(repeating: " ", count: level) + "-\n" : opening
        }
        let error = #expect(throws: YAMLError.self) { try YAMLDocument(parsing: text) }
        #expect(error?.expected.contains("16 levels") == true)
    }

    @Test(arguments: ["[", "{", "- ", "{a: [", "\"", "a", "&a ", "? ", "\t", "\0", ": ", "#", "!"])
    func `a text as large as may be, of one thing, is refused or read`(piece: String) {
        let text = String(repeating: piece, count: 1 << 20 / piece.utf8.count)
        do {
            let root = try YAMLDocument(parsing: text).root
            #expect(piece == "a" && Plain(root) == .text(text) || piece == "#" && root.content == .null)
        } catch {
            #expect(error.line == 1)
        }
    }

    @Test func `a mapping of very many keys is read, each key once`() throws {
        let text = (0..<80_000).map { "k\($0): \n" }.joined()
        guard case .mapping(let entries) = try YAMLDocument(parsing: text + "k0: again").root.content else {
            Issue.record("another shape")
            return
        }
        #expect(entries.count == 80_000)
    }

    @Test func `a repeated key is listed with its path, and the first counts`() throws {
        let document = try YAMLDocument(parsing: "a: {b: 1, b: 2}\nc:\n  d: 3\n  d: 4\n")
        #expect(document.duplicates == [.init(path: ["a", "b"], line: 1), .init(path: ["c", "d"], line: 4)])
        #expect(Plain(document.root) == .mapping(["a": .mapping(["b": "1"]), "c": .mapping(["d": "3"])]))
    }

    @Test func `YAML every value knows its line`() throws {
        let document = try YAMLDocument(parsing: "a: 1\n\nb:\n  - 2\n  - [3,\n     4]\n")
        guard case .mapping(let entries) = document.root.content, case .list(let list) = entries[1].value.content,
            case .list(let inner) = list[1].content
        else {
            Issue.record("another shape")
            return
        }
        #expect(entries.map(\.line) == [1, 3])
        #expect(list.map(\.line) == [4, 5])
        #expect(inner.map(\.line) == [5, 6])
    }

    @Test func `any damage to a file is refused or read, never a trap`() {
        var state: UInt64 = 88_172_645_463_325_252
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let noise = Array(":,[]{}#-'\"\\ \n\t&*!|>%@?~a\r".unicodeScalars)
        let original = Array(Defaults.listing.unicodeScalars)
        var refused = 0
        for _ in 0..<500 {
            var text = original
            for _ in 0...next(4) { text[next(text.count)] = noise[next(noise.count)] }
            var damaged = String.UnicodeScalarView()
            damaged.append(contentsOf: text)
            do {
                _ = try YAMLDocument(parsing: String(damaged))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0 && refused < 500)
    }
}
