internal import HTTPServer
internal import JSON

/// The fields of a query or a form body, read as OAuth wants them: no parameter twice, and one without a value is as
/// good as absent (RFC 6749 §3.1).
struct Fields: Sendable {
    private static let limit = 64

    let all: [(name: String, value: String)]

    /// - Returns: nil when the encoding is broken or there are too many.
    private init?(_ bytes: Span<UInt8>) {
        guard let fields = try? FormFields(parsing: bytes, limit: Self.limit) else { return nil }
        all = fields.fields
    }

    init?(query request: HTTPRequest) {
        let query = request.query ?? ""
        self.init(query.utf8.span)
    }

    init?(form request: HTTPRequest) {
        self.init(request.body.span)
    }

    private init(_ all: [(name: String, value: String)]) {
        self.all = all
    }

    /// The fields of a form, or of a JSON object with texts, flags and whole numbers.
    static func formOrJSON(_ request: HTTPRequest) -> Fields? {
        guard let object = (try? JSONValue(parsing: request.body))?.object else { return Fields(form: request) }
        guard object.members.count <= limit else { return nil }
        return Fields(
            object.members.compactMap { member in
                switch member.value {
                case .string(let text): (member.name, text)
                case .boolean(let flag): (member.name, flag ? "true" : "false")
                case .integer(let number): (member.name, String(number))
                default: nil
                }
            })
    }

    /// Undoes form encoding of one text, as RFC 6749 §2.3.1 applies it to client credentials.
    ///
    /// - Returns: nil when the text is not one encoded value.
    static func decode(_ text: some StringProtocol) -> String? {
        let field = "value=\(text)"
        guard let fields = try? FormFields(parsing: field.utf8.span, limit: 1) else { return nil }
        return fields["value"]
    }

    subscript(name: String) -> String? {
        all.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    func values(_ name: String) -> [String] {
        all.filter { $0.name == name }.map(\.value)
    }

    /// Whether a parameter is there twice.
    var hasRepetition: Bool { Set(all.map(\.name)).count < all.count }
}
