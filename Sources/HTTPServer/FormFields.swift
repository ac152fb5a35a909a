/// Why a form or a query was refused.
public enum FormError: Error, Sendable, Equatable {
    /// A percent sign without its two hexadecimal digits, or bytes that are not UTF-8.
    case badEncoding
    /// More fields than the limit.
    case tooManyFields
}

/// Fields in the form `application/x-www-form-urlencoded`, from a body or from a query.
public struct FormFields: Sendable {
    /// In the order they were sent, repeated names included.
    public let fields: [(name: String, value: String)]

    /// Reads `name=value&name=value`; a name without an equals sign has an empty value, and an empty piece is no field.
    ///
    /// - Parameter limit: how many fields there may be.
    public init(parsing bytes: some Collection<UInt8>, limit: Int) throws(FormError) {
        var fields: [(name: String, value: String)] = []
        for piece in bytes.split(separator: .ampersand, maxSplits: max(0, limit)) {
            guard fields.count < limit else { throw .tooManyFields }
            let halves = piece.split(separator: .equalsSign, maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? PercentEncoding.decode(halves[1], plusIsSpace: true) : ""
            guard let value, let name = PercentEncoding.decode(halves[0], plusIsSpace: true) else {
                throw .badEncoding
            }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// The first value of a name; nil when the name is absent.
    public subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// All values of a name, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
