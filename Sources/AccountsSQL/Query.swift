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
        var result = ""
        var last = 0
        var rest = text[...]
        while let mark = rest.firstIndex(of: "?") {
            result += rest[..<mark]
            rest = rest[rest.index(after: mark)...]
            result += "$"
            if rest.first?.isNumber == true { continue }
            last += 1
            result += String(last)
        }
        return result + rest
    }
}
