/// Why a request has no answer.
public enum HTTPClientError: Error, Sendable, Equatable {
    /// The host's name has no address, or the resolver did not say.
    case couldNotResolve
    /// Every address of the host is one that the policy does not allow.
    case refusedAddress
    /// No connection, whatever the reason was.
    case couldNotConnect
    /// The proxy makes no tunnel to the host, and answers with this status instead, such as 407 for credentials.
    case refusedByProxy(status: Int)
    /// No trusted TLS connection: the certificate is not for this host or not from an authority that is trusted, or the
    /// policy's `caFile` can't be read.
    case tlsFailed
    /// No TLS connection: the handshake came to nothing, as where the other side speaks http at that port, or takes no
    /// version and no cipher that we do.
    case tlsHandshakeFailed
    /// No trusted TLS connection, since by this machine's clock the time of the certificate, or of one that it hangs
    /// on, is over or has not begun.
    case certificateOutOfDate
    /// The timeout has passed. `requestSent` is false only if no byte of the request can have left.
    case timedOut(requestSent: Bool)
    /// The connection ended before the answer did. `requestSent` as above.
    case connectionBroken(requestSent: Bool)
    /// The answer's body, or its head, is larger than allowed.
    case responseTooLarge
    /// The answer is no HTTP, or its body can't be decompressed; or a value taken from an earlier answer can't stand in
    /// a header field of this request, of which then nothing was sent.
    case malformedResponse
    /// The task was cancelled.
    case cancelled
    /// The client has been shut down.
    case shutDown
}

/// Something that sends requests and returns answers: the client, or a double in its place.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    func send(_ request: OutboundRequest) async throws(HTTPClientError) -> OutboundResponse
}
