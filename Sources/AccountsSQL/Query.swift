/// A text of SQL with `?` or `?1`, `?2`… for its values, by its identity: connections prepare each once and find it
/// again without looking at the text.
public final class Query: Sendable {
    /// As SQLite takes it.
    package let text: String
    /// As PostgreSQL takes it.
    package let postgres: String

    /// - Parameter postgres: nil where both engines take the same, but for the names of places, for how a blob of no
    ///   bytes is written, and for how what may be NULL is compared.
    package init(_ text: String, postgres: String? = nil) {
        self.text = text
        self.postgres = Self.numbered(
            postgres ?? text.replacing("x''", with: "''").replacing(" IS NOT ?", with: " IS DISTINCT FROM ?"))
    }

    /// Writes `$1` for `?1`, and for what has no number the next one. None of our texts has a question mark in a
    /// literal.
    private static func numbered(_ text: String) -> String {
        // Every start writes some hundred kilobytes of them, so it goes byte by byte.
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false)
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 3 * parts.count)
        result += parts[0]
        var last = 0
        for part in parts.dropFirst() {
            result.append(UInt8(ascii: "$"))
            let hasNumber = part.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
            if !hasNumber {
                last += 1
                result += String(last).utf8
            }
            result += part
        }
        return String(decoding: result, as: UTF8.self)
    }
}
