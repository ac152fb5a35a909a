import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends a request and gives the whole answer.
public protocol Transport: Sendable {
    func send(_ request: URLRequest) async throws -> (body: Data, status: Int)
}

/// By `URLSession`: without cookies, caches, or redirects, which would take a token to an address that nobody has named.
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

    public func send(_ request: URLRequest) async throws -> (body: Data, status: Int) {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                guard error == nil, let data, let response = response as? HTTPURLResponse else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                continuation.resume(returning: (data, response.statusCode))
            }.resume()
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
