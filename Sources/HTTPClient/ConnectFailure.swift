internal import CCurl

/// What is known about a connection that was not made, beside curl's own word.
struct ConnectFailure {
    let code: CURLcode
    /// Whether an address was refused and none was tried.
    let everyAddressRefused: Bool
    /// What verifying the certificate came to: OpenSSL's `X509_V_…`, 0 where nothing was wrong with it or none came.
    let certificateVerdict: Int
    /// The proxy's answer to being asked for a tunnel; 0 where there was none.
    let proxyStatus: Int

    /// `X509_V_ERR_CERT_NOT_YET_VALID` and `X509_V_ERR_CERT_HAS_EXPIRED`.
    private static let outOfDate = [9, 10]

    private var isOutOfDate: Bool { Self.outOfDate.contains(certificateVerdict) }

    /// Says in the client's terms why there is no connection. Nothing of the request was sent.
    var error: HTTPClientError {
        // Once there is a tunnel, what fails is in it.
        if proxyStatus != 0, !(200..<300).contains(proxyStatus) { return .refusedByProxy(status: proxyStatus) }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .couldNotResolve
        case CURLE_WRITE_ERROR: .responseTooLarge
        case CURLE_COULDNT_CONNECT: everyAddressRefused ? .refusedAddress : .couldNotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut(requestSent: false)
        case CURLE_SSL_CONNECT_ERROR: isOutOfDate ? .certificateOutOfDate : .tlsHandshakeFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            isOutOfDate ? .certificateOutOfDate : .tlsFailed
        default: .connectionBroken(requestSent: false)
        }
    }
}
