import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends a request and gives the whole answer.
public protocol Transport: Sendable {
    func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse)
}

/// By `URLSession`: without cookies, caches, or redirects, which would take a token to an address that nobody has
/// named.
public final class URLSessionTransport: NSObject, Transport, URLSessionTaskDelegate, @unchecked Sendable {
    // Unchecked: nothing changes once it is made.
    private var session = URLSession.shared

    /// - Parameter timeout: of a whole request, in seconds.
    public init(timeout: TimeInterval = 30) {
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    public func send(_ request: URLRequest) async throws -> (body: Data, response: HTTPURLResponse) {
        let (body, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (body, response)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
