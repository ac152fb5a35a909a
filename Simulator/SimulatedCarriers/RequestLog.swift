public import HTTPServer
internal import Synchronization
internal import System

/// A request as the simulation received it, so that a test can say what a client must send and must not.
public struct RecordedRequest: Sendable {
    public let issuer: SimulatedIssuer
    public let endpoint: SimulatedEndpoint
    public let request: HTTPRequest
    /// When it came, in milliseconds since 1970.
    public let milliseconds: Int64

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
        /// The number of the newest: how many there have been.
        var last = 0
        var newest: [RecordedRequest] = []
        /// Where the oldest stands once the array is full.
        var oldest = 0

        var inOrder: ArraySlice<RecordedRequest> { newest[oldest...] + newest[..<oldest] }
    }

    private let state = Mutex(State())

    func record(_ request: HTTPRequest, at endpoint: SimulatedEndpoint, of issuer: SimulatedIssuer) {
        let now = WallClock.now
        let recorded = RecordedRequest(
            issuer: issuer, endpoint: endpoint, request: request,
            milliseconds: now.seconds * 1_000 + now.nanoseconds / 1_000_000)
        state.withLock { state in
            state.last += 1
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

    /// The number of the newest; the first has 1.
    var last: Int { state.withLock { $0.last } }

    /// The newest requests, oldest first.
    func requests(at endpoint: SimulatedEndpoint) -> [RecordedRequest] {
        state.withLock { $0.inOrder.filter { $0.endpoint == endpoint } }
    }

    /// Those of the newest requests that came after one, with their numbers, oldest first.
    func requests(after number: Int) -> [(number: Int, request: RecordedRequest)] {
        state.withLock { state in
            let first = state.last - state.newest.count + 1
            return state.inOrder.enumerated().lazy.map { (number: first + $0.offset, request: $0.element) }
                .filter { $0.number > number }
        }
    }
}
