public import HTTPServer
internal import Synchronization

/// A request as the simulation received it, so that a test can say what a client must send and must not.
public struct RecordedRequest: Sendable {
    public let issuer: SimulatedIssuer
    public let endpoint: SimulatedEndpoint
    public let request: HTTPRequest

    /// The fields of the query, in order.
    public var queryFields: [(name: String, value: String)] { Fields(query: request)?.all ?? [] }
    /// The fields of a form body, in order.
    public var formFields: [(name: String, value: String)] { Fields(form: request)?.all ?? [] }
    public var formFieldNames: [String] { formFields.map(\.name) }

    /// The first field of that name in the form.
    public func formField(_ name: String) -> String? { formFields.first { $0.name == name }?.value }
    /// The first field of that name in the query.
    public func queryField(_ name: String) -> String? { queryFields.first { $0.name == name }?.value }
    /// The header field of that name.
    public func header(_ name: String) -> String? { request.header(name) }

    /// The first word of the Authorization field in lower case, such as `basic` or `bearer`; nil without the field.
    public var authorizationScheme: String? {
        request.header("Authorization")?.split(separator: " ").first.map { $0.lowercased() }
    }
}

/// How many requests each endpoint has had.
public struct RequestCounts: Sendable, Equatable {
    struct Key: Hashable, Sendable {
        let issuer: SimulatedIssuer
        let endpoint: SimulatedEndpoint
    }

    var counts: [Key: Int] = [:]

    /// At one issuer.
    public subscript(issuer: SimulatedIssuer, endpoint: SimulatedEndpoint) -> Int {
        counts[Key(issuer: issuer, endpoint: endpoint)] ?? 0
    }

    /// At all of them.
    public subscript(endpoint: SimulatedEndpoint) -> Int {
        SimulatedIssuer.allCases.reduce(0) { $0 + self[$1, endpoint] }
    }
}

/// Counts requests and keeps the newest.
final class RequestLog: Sendable {
    private static let requestsKept = 4_096

    private struct State {
        var counts = RequestCounts()
        var newest: [RecordedRequest] = []
        /// Where the oldest stands once the array is full.
        var oldest = 0
    }

    private let state = Mutex(State())

    func record(_ request: HTTPRequest, at endpoint: SimulatedEndpoint, of issuer: SimulatedIssuer) {
        let recorded = RecordedRequest(issuer: issuer, endpoint: endpoint, request: request)
        state.withLock { state in
            state.counts.counts[.init(issuer: issuer, endpoint: endpoint), default: 0] += 1
            if state.newest.count < Self.requestsKept {
                state.newest.append(recorded)
            } else {
                state.newest[state.oldest] = recorded
                state.oldest = (state.oldest + 1) % Self.requestsKept
            }
        }
    }

    var counts: RequestCounts { state.withLock { $0.counts } }

    /// The newest requests, oldest first.
    func requests(at endpoint: SimulatedEndpoint) -> [RecordedRequest] {
        state.withLock { state in
            (state.newest[state.oldest...] + state.newest[..<state.oldest]).filter { $0.endpoint == endpoint }
        }
    }
}
