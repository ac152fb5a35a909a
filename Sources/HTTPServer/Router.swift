import Syntax

/// A method and a path, and what answers it.
public struct Route: Sendable {
    public let method: HTTPMethod
    /// Such as `/users/me/identities/{identity_id}`: a segment in braces matches any one segment that is not empty.
    public let pattern: String
    public let endpoint: @Sendable (HTTPRequest) async -> HTTPResponse

    public init(
        _ method: HTTPMethod, _ pattern: String, _ endpoint: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        (self.method, self.pattern, self.endpoint) = (method, pattern, endpoint)
    }
}

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

    fileprivate mutating func add(_ name: String, _ value: String) {
        parameters.append(Parameter(name: name, value: value))
    }
}

/// Finds the route for a method and a path.
///
/// A path without parameters is found in one look-up. Where several patterns match, the one that is literal in the
/// earlier segment wins. HEAD is answered by GET unless it has a route of its own (RFC 9110 §9.3.2).
public struct Router: Sendable {
    /// What came of a search.
    public enum Match: Sendable {
        case found(Route, PathParameters)
        /// The path is known, the method is not; `allow` is for the Allow field (RFC 9110 §15.5.6).
        case methodNotAllowed(allow: [HTTPMethod])
        case notFound
    }

    private enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case parameter(String)

        /// Literal segments sort before parameters.
        var rank: Int {
            switch self {
            case .literal: 0
            case .parameter: 1
            }
        }
    }

    private struct Pattern: Sendable {
        let segments: [Segment]
        var routes: [Route]

        var ranks: [Int] { segments.map(\.rank) }
    }

    private var literals: [String: [Route]] = [:]
    private var patterns: [Pattern] = []

    public init(_ routes: [Route]) {
        for route in routes {
            let segments = Self.segments(route.pattern)
            if segments.allSatisfy({ $0.rank == 0 }) {
                literals[route.pattern, default: []].append(route)
            } else if let index = patterns.firstIndex(where: { $0.segments == segments }) {
                patterns[index].routes.append(route)
            } else {
                patterns.append(Pattern(segments: segments, routes: [route]))
            }
        }
        patterns.sort { $0.ranks.lexicographicallyPrecedes($1.ranks) }
    }

    /// - Parameter path: as in ``HTTPRequest/path``.
    public func match(_ method: HTTPMethod, _ path: String) -> Match {
        let exact = literals[path]
        if let exact, let route = Self.route(method, exact) { return .found(route, PathParameters()) }
        var known = exact ?? []
        for pattern in patterns {
            guard let parameters = Self.parameters(pattern.segments, path) else { continue }
            if let route = Self.route(method, pattern.routes) { return .found(route, parameters) }
            known += pattern.routes
        }
        // What is about the server is about all its paths (RFC 9110 §9.3.7).
        if path == "*" { known = literals.values.flatMap(\.self) + patterns.flatMap(\.routes) }
        if known.isEmpty { return .notFound }
        let methods = known.map(\.method)
        let allowed = HTTPMethod.allCases.filter {
            methods.contains($0) || $0 == .head && methods.contains(.get)
        }
        return .methodNotAllowed(allow: allowed)
    }

    private static func route(_ method: HTTPMethod, _ routes: [Route]) -> Route? {
        for route in routes where route.method == method { return route }
        return method == .head ? route(.get, routes) : nil
    }

    private static func segments(_ pattern: String) -> [Segment] {
        pattern.utf8.split(separator: .slash, omittingEmptySubsequences: false).map { segment in
            if let name = segment.wholeMatchOfBraces { return .parameter(name) }
            return .literal(Array(segment))
        }
    }

    /// The parameters when the path has the pattern's form. A value that is not UTF-8 once decoded matches nothing.
    private static func parameters(_ segments: [Segment], _ path: String) -> PathParameters? {
        let bytes = path.utf8.span
        var parameters = PathParameters()
        var scratch: [UInt8] = []
        var start = 0
        for segment in segments {
            guard start <= bytes.count else { return nil }
            let part = start..<(bytes.firstIndex(of: .slash, in: start..<bytes.count) ?? bytes.count)
            start = part.upperBound + 1
            switch segment {
            case .literal(let text):
                guard bytes.equals(part, text.span) else { return nil }
            case .parameter(let name):
                guard !part.isEmpty,
                    let value = PercentEncoding.decode(bytes, part, plusIsSpace: false, scratch: &scratch)
                else { return nil }
                parameters.add(name, value)
            }
        }
        // All of the path, up to its end.
        return start == bytes.count + 1 ? parameters : nil
    }
}

extension Substring.UTF8View {
    /// The name inside when the whole segment is a name in braces.
    fileprivate var wholeMatchOfBraces: String? {
        guard count > 2, first == UInt8(ascii: "{"), last == UInt8(ascii: "}") else { return nil }
        return String(Substring(dropFirst().dropLast()))
    }
}
