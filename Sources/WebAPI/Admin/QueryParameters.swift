package import HTTPServer
package import SignIn
internal import Syntax

/// The parameters of a query, each once.
package struct QueryParameters {
    private static let maximumFields = 32
    private static let standardLimit = 100
    /// A page of so many takes some milliseconds.
    static let maximumLimit = 1000

    private let fields: FormFields?

    /// - Throws: `ServiceError.invalidRequest`, naming no value.
    package init(_ request: HTTPRequest) throws(ServiceError) {
        do throws(FormError) {
            fields = try request.query.map { query throws(FormError) in
                try FormFields(parsing: query.utf8.span, limit: Self.maximumFields)
            }
        } catch {
            throw .invalidRequest("The query is not made of at most \(Self.maximumFields) fields.")
        }
    }

    /// Refuses a query with any other parameter: a search that ignores a misspelled one would list everybody.
    ///
    /// - Throws: `ServiceError.invalidRequest`, naming the parameter unless its name could be a value that lost its
    ///   name.
    func refuseOthers(than known: [String]) throws(ServiceError) {
        guard let unknown = fields?.fields.first(where: { !known.contains($0.name) })?.name else { return }
        let isPlain = unknown.utf8.count <= 32 && unknown.utf8.allSatisfy { Self.isNameByte($0) }
        let offer = known.isEmpty ? "none" : known.joined(separator: ", ")
        let name = isPlain ? "The parameter \(unknown)" : "A parameter of the query"
        throw .invalidRequest("\(name) is not known here; known: \(offer).")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
    }

    /// - Returns: nil when it is absent or empty.
    package func text(_ name: String) throws(ServiceError) -> String? {
        let values = fields?.values(name) ?? []
        guard values.count <= 1 else { throw .invalidRequest("The parameter \(name) is there twice.") }
        guard values.first?.hasControlCharacters != true else {
            throw .invalidRequest("The parameter \(name) has control characters.")
        }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Returns: nil when it is absent.
    func number(_ name: String) throws(ServiceError) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw .invalidRequest("The parameter \(name) must be a whole number, 0 or more.")
        }
        return number
    }

    /// - Returns: false when it is absent.
    func flag(_ name: String) throws(ServiceError) -> Bool {
        switch try text(name) {
        case nil, "false": false
        case "true": true
        default: throw .invalidRequest("The parameter \(name) must be true or false.")
        }
    }

    /// How many entries a page has.
    func limit() throws(ServiceError) -> Int {
        guard let number = try number("limit") else { return Self.standardLimit }
        guard (1...Int64(Self.maximumLimit)).contains(number) else {
            throw .invalidRequest("The parameter limit must be a number from 1 to \(Self.maximumLimit).")
        }
        return Int(number)
    }
}
