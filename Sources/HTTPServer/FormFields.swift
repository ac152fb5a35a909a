import Syntax

/// Why a form or a query was refused.
public enum FormError: Error, Sendable, Equatable {
    /// A percent sign without its two hexadecimal digits, or bytes that are not UTF-8.
    case badEncoding
    /// More fields than the limit.
    case tooManyFields
}

/// Fields in the form `application/x-www-form-urlencoded`, from a body or from a query.
public struct FormFields: Sendable {
    /// As many as most forms have, and as fit into the memory that the first one gets.
    private static let usualCount = 8

    /// In the order they were sent, repeated names included.
    public let fields: [(name: String, value: String)]

    /// Reads `name=value&name=value`; a name without an equals sign has an empty value, and an empty piece is no field.
    ///
    /// - Parameter limit: how many fields there may be.
    public init(parsing bytes: Span<UInt8>, limit: Int) throws(FormError) {
        var fields: [(name: String, value: String)] = []
        var scratch: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = bytes.firstIndex(of: .ampersand, in: start..<bytes.count) ?? bytes.count
            let piece = start..<end
            start = end + 1
            if piece.isEmpty { continue }
            guard fields.count < limit else { throw .tooManyFields }
            let nameEnd = bytes.firstIndex(of: .equalsSign, in: piece) ?? end
            guard
                let name = PercentEncoding.decode(
                    bytes, piece.lowerBound..<nameEnd, plusIsSpace: true, scratch: &scratch),
                let value = PercentEncoding.decode(
                    bytes, min(nameEnd + 1, end)..<end, plusIsSpace: true, scratch: &scratch)
            else { throw .badEncoding }
            if fields.isEmpty { fields.reserveCapacity(min(limit, Self.usualCount)) }
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
