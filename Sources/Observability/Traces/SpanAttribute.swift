/// A fact about a span or about who sends it.
public struct SpanAttribute: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case text(String)
        case number(Int64)
    }

    public let name: String
    public let value: Value

    public init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    init(_ name: String, _ text: String) { self.init(name, .text(text)) }

    init(_ name: String, _ number: Int) { self.init(name, .number(Int64(number))) }
}
