/// What stood in a path where its route has names in braces.
public struct PathParameters: Sendable, Equatable {
    private struct Parameter: Sendable, Equatable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    public init() {}

    /// For tests and for calls in memory.
    public init(_ values: [(name: String, value: String)]) {
        parameters = values.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// The value by name, percent-decoded; nil when the route has no such name.
    public subscript(name: String) -> String? {
        for parameter in parameters where parameter.name == name { return parameter.value }
        return nil
    }

    mutating func add(_ name: String, _ value: String) {
        parameters.append(Parameter(name: name, value: value))
    }
}
