internal import Syntax

/// Why an operator looks at somebody, in their own words, as the audit trail keeps it.
public struct AuditReason: Equatable, Sendable {
    /// How many characters it may have.
    public static let mostCharacters = 200
    /// How many bytes of UTF-8.
    private static let mostBytes = 800

    public enum Fault: Error, Equatable, CustomStringConvertible {
        case empty
        case tooLong(Int)
        /// As it completes "The reason … ".
        case invisible(String)

        public var description: String {
            switch self {
            case .empty: "is empty"
            case .tooLong(let count): "has \(count) characters, more than \(AuditReason.mostCharacters)"
            case .invisible(let fault): fault
            }
        }
    }

    public let text: String

    /// - Throws: ``Fault`` for what nobody could read as it is written.
    public init(_ text: String) throws(Fault) {
        let words = text.split(whereSeparator: { $0 == " " })
        guard !words.isEmpty else { throw .empty }
        guard text.count <= Self.mostCharacters, text.utf8.count <= Self.mostBytes else { throw .tooLong(text.count) }
        if let fault = VisibleText.fault(of: text) { throw .invisible(fault.rawValue) }
        self.text = words.joined(separator: " ")
    }
}
