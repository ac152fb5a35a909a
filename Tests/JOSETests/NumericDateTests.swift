import JOSE
import JSON
import Testing

@Suite struct `Times in claims` {
    @Test(
        arguments: [
            ("0", 0), ("1790000000", 1_790_000_000), ("\"1790000000\"", 1_790_000_000),
            ("253402300799", 253_402_300_799),
            ("\"0\"", 0), ("\"000000000012\"", 12), ("1.5", 1), ("0.999", 0), ("-0.0", 0), ("1e9", 1_000_000_000),
            ("1790000000.0", 1_790_000_000), ("1790000000.999", 1_790_000_000), ("1.79E9", 1_790_000_000),
            ("253402300799.5", 253_402_300_799),
        ] as [(String, Int64)])
    func `times in claims are seconds, as a number whose fraction is cut off, or as the digits of a whole one`(
        _ json: String, _ seconds: Int64
    ) throws {
        #expect(NumericDate(try JSONValue(parsing: Array(json.utf8)))?.seconds == seconds)
    }

    @Test(arguments: [
        "1e300", "-1e300", "-0.5", "-1.5", "253402300800.0", "1e12", "-1", "253402300800", "9223372036854775807",
        "9223372036854775808",
        "\"\"", "\"-1\"", "\"+1\"", "\" 1\"", "\"1 \"", "\"1.5\"", "\"1e9\"", "\"0x10\"", "\"９\"", "\"253402300800\"",
        "\"0000000000012\"", "\"9999999999999999999999\"", "null", "true", "[]", "[1]", "{}", "\"now\"",
    ])
    func `times in claims are refused in any other form`(_ json: String) throws {
        #expect(NumericDate(try JSONValue(parsing: Array(json.utf8))) == nil)
    }

    @Test func `times in claims are ordered`() throws {
        let earlier = try #require(NumericDate(seconds: 1))
        let later = try #require(NumericDate(seconds: 2))
        #expect(earlier < later)
        #expect(NumericDate(seconds: -1) == nil)
    }
}
