public import JSON

/// What somebody else calls something, made fit for a line that is read on a terminal: short, and without a character
/// that nobody can see or that moves the others.
///
/// It is for names that are no secret: issuers, addresses, audiences, keys, algorithms. An address loses its query,
/// where codes and tokens stand. What looks like somebody's address or a token is no name, and is not shown.
public struct PrintableName: Sendable, Equatable, CustomStringConvertible {
    /// In characters.
    public static let maximumLength = 160

    public let description: String

    public init(_ text: String) {
        guard !text.contains("@"), !text.contains("eyJ") else {
            description = "[removed]"
            return
        }
        let shown = text.prefix { $0 != "?" && $0 != "#" }
        let scalars = shown.unicodeScalars.prefix(Self.maximumLength + 1).map { Self.isPrintable($0) ? $0 : "·" }
        let text = String(String.UnicodeScalarView(scalars.prefix(Self.maximumLength)))
        description = scalars.count > Self.maximumLength ? text + "…" : text
    }

    /// What a member of a document has, where a name was to be.
    public init(_ value: JSONValue?) {
        switch value {
        case nil: self.init(kind: "nothing")
        case .string(let text): self.init(text.isEmpty ? "\"\"" : text)
        case .null: self.init(kind: "null")
        case .boolean(let value): self.init(kind: value ? "true" : "false")
        case .integer(let number): self.init(kind: "\(number)")
        case .number: self.init(kind: "a number")
        case .array(let elements):
            let names = elements.prefix(Self.maximumElements).map { Self($0).description }
            let more = elements.count > Self.maximumElements ? ", …" : ""
            self.init("[" + names.joined(separator: ", ") + more + "]")
        case .object: self.init(kind: "an object")
        case .doubtful(.repeated): self.init(kind: "two values")
        case .doubtful(.repaired): self.init(kind: "a text that is no Unicode")
        }
    }

    private static let maximumElements = 5

    private init(kind: String) { description = kind }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
