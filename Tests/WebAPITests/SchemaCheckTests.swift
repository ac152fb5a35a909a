import JSON
import Testing

@Suite struct `The check of values against schemas` {
    private static let check = SchemaCheck(document: [
        "shapes": [
            "Base": [
                "type": "object", "required": ["kind"],
                "properties": ["kind": ["enum": ["a", "b"]], "size": ["type": "integer", "minimum": 1]],
            ],
            "Derived": [
                "allOf": [["$ref": "#/shapes/Base"], ["properties": ["tag": ["type": "string", "maxLength": 2]]]]
            ],
            "Open": ["properties": ["n": ["type": "integer"]], "additionalProperties": ["type": "string"]],
            "List": ["type": "array", "items": ["$ref": "#/shapes/Base"]],
            "Either": [
                "oneOf": [
                    ["$ref": "#/shapes/Base", "properties": ["kind": ["const": "a"]]],
                    ["$ref": "#/shapes/Derived", "properties": ["kind": ["const": "b"]]],
                ]
            ],
            "Any": [
                "anyOf": [["required": ["x"]], ["required": ["y"]]], "properties": ["x": ["type": "null"], "y": [:]],
            ],
            "Pair": ["properties": ["a": [:], "b": [:]], "dependentRequired": ["a": ["b"]]],
            "Text": ["type": ["string", "integer"], "pattern": "^[a-c]+$"],
            "Few": ["properties": ["a": [:], "b": [:]], "minProperties": 1, "maxProperties": 1],
        ]
    ])

    private static func problems(_ value: JSONValue, _ name: String) -> [String] {
        check.problems(value, ["$ref": .string("#/shapes/\(name)")])
    }

    static let good: [(JSONValue, String)] = [
        (["kind": "a", "size": 1], "Base"), (["kind": "b", "tag": "xy"], "Derived"), (["n": 1, "m": "x"], "Open"),
        ([["kind": "a"], ["kind": "b"]], "List"), (["kind": "a"], "Either"), (["kind": "b", "tag": "x"], "Either"),
        (["x": .null], "Any"), (["b": 1], "Pair"), (["a": 1, "b": 1], "Pair"), ("abc", "Text"), (7, "Text"),
        (["a": 1], "Few"),
    ]

    @Test(arguments: good) func `finds nothing where all is well`(value: JSONValue, schema: String) {
        #expect(Self.problems(value, schema) == [])
    }

    static let bad: [(JSONValue, String)] = [
        ([:], "Base"), (["kind": "c"], "Base"), (["kind": "a", "size": 0], "Base"),
        (["kind": "a", "size": "1"], "Base"),
        (["kind": "a", "more": 1], "Base"), ("a", "Base"), (["kind": "b", "tag": "xyz"], "Derived"),
        (["kind": "b", "more": 1], "Derived"), (["n": 1, "m": 2], "Open"), ([["kind": "a"], ["kind": "c"]], "List"),
        (["kind": "a", "tag": "x"], "Either"), (["kind": "c"], "Either"), (["z": 1], "Any"), (["x": 1], "Any"),
        (["a": 1], "Pair"), ("abcd", "Text"), ("", "Text"), (true, "Text"), ([:], "Few"), (["a": 1, "b": 1], "Few"),
        (1, "Nowhere"),
    ]

    @Test(arguments: bad) func `finds what is wrong`(value: JSONValue, schema: String) {
        #expect(Self.problems(value, schema) != [])
    }

    @Test func `passes over no keyword that it does not know`() {
        #expect(Self.check.problems(1, ["multipleOf": 2]) == ["$: the keyword multipleOf is not understood"])
    }
}
