public import HTTPClient
public import JSON
public import Providers
import Synchronization
public import Syntax

/// A transport that answers from a script and remembers what it was asked, in place of the HTTP client.
public final class ScriptedTransport: HTTPTransport {
    public typealias Outcome = Result<OutboundResponse, HTTPClientError>
    public typealias Script = @Sendable (OutboundRequest) async -> Outcome

    private struct State {
        var scripts: [String: Script] = [:]
        var requests: [OutboundRequest] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Answers requests to a URL, whatever their query, from now on like this.
    public func answer(_ url: String, script: @escaping Script) {
        state.withLock { $0.scripts[url] = script }
    }

    public func answer(_ url: String, _ response: OutboundResponse) {
        answer(url) { _ in .success(response) }
    }

    public func answer(_ url: String, json: JSONValue) {
        answer(url, .json(json))
    }

    public func fail(_ url: String, _ error: HTTPClientError) {
        answer(url) { _ in .failure(error) }
    }

    /// Every request that was sent, in order.
    public var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// The requests that were sent to a URL, whatever their query.
    public func requests(to url: String) -> [OutboundRequest] { requests.filter { $0.address == url } }

    /// Nothing is scripted for a host that does not exist.
    public func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse {
        let script = state.withLock { state in
            state.requests.append(request)
            return state.scripts[request.address]
        }
        guard let script else { throw .couldNotResolve }
        return try await script(request).get()
    }
}

/// Calls to a provider where nothing but the call itself is looked at: no circuit, no deadline, no second try.
public struct PlainCalls: ProviderTransport {
    private let transport: ScriptedTransport

    public init(through transport: ScriptedTransport) {
        self.transport = transport
    }

    public func get(_ url: EndpointURL, accepting types: String) -> OutboundRequest {
        OutboundRequest(
            method: .get, url: url, headers: [(name: "Accept", value: types)], timeout: .seconds(1),
            policy: OutboundPolicy(
                caFile: nil, allowsPrivateAddresses: false, connectionsPerHost: 1, maximumBodyBytes: 1,
                connectTimeout: .seconds(1)))
    }

    public func send(_ request: OutboundRequest) async throws(ProviderCallError) -> OutboundResponse {
        do throws(HTTPClientError) { return try await transport.send(request) } catch { throw .transport(error) }
    }
}

extension OutboundRequest {
    public var method: OutboundMethod { content.method }
    public var url: EndpointURL { content.url }
    public var headers: [(name: String, value: String)] { content.headers }
    public var body: [UInt8] { content.body }
    public var policy: OutboundPolicy { content.policy }

    /// The URL without its query.
    public var address: String { String(url.text.prefix { $0 != "?" }) }

    public var query: String { String(url.text.dropFirst(address.count + 1)) }

    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension OutboundResponse {
    public static func json(_ value: JSONValue, status: Int = 200, cacheControl: String? = nil) -> OutboundResponse {
        let caching = cacheControl.map { [(name: "Cache-Control", value: $0)] } ?? []
        return OutboundResponse(
            status: status, headers: [(name: "Content-Type", value: "application/json")] + caching,
            body: value.serialized)
    }

    public static func text(_ text: String, type: String, status: Int = 200) -> OutboundResponse {
        OutboundResponse(
            status: status, headers: [(name: "Content-Type", value: type)], body: Array(text.utf8))
    }

    public static let page = text("<!doctype html><title>Oops</title>", type: "text/html")
    public static func page(status: Int) -> OutboundResponse {
        text("<!doctype html><title>Oops</title>", type: "text/html", status: status)
    }
}
