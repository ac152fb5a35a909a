internal import CCurl

/// What is known about a transfer that failed, beside curl's own word.
struct TransferFailure {
    let code: CURLcode
    /// Whether the request had a connection to go out on.
    let requestSent: Bool
    /// Whether an address was refused and none was tried.
    let everyAddressRefused: Bool
    /// What verifying the certificate came to: OpenSSL's `X509_V_…`, 0 where nothing was wrong with it or none came.
    let certificateVerdict: Int

    /// `CURLE_TOO_LARGE`, which headers name only from 8.6 on; the library may be newer than the headers.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// `X509_V_ERR_CERT_NOT_YET_VALID` and `X509_V_ERR_CERT_HAS_EXPIRED`.
    private static let outOfDate = [9, 10]

    /// Says in the client's terms why there is no answer.
    var error: HTTPClientError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .couldNotResolve
        case CURLE_COULDNT_CONNECT: everyAddressRefused ? .refusedAddress : .couldNotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut(requestSent: requestSent)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            // After the request has left, it is a connection that broke: TLS errors of reading and writing come as
            // other codes, but a server may ask for a new handshake at any time.
            if requestSent {
                .connectionBroken(requestSent: true)
            } else {
                Self.outOfDate.contains(certificateVerdict) ? .certificateOutOfDate : .tlsFailed
            }
        case CURLE_FILESIZE_EXCEEDED, Self.tooLarge: .responseTooLarge
        // What older versions say to a header line beyond their own bound.
        case CURLE_OUT_OF_MEMORY where requestSent: .responseTooLarge
        // The first is what curl says to HTTP/0.9: an answer without a status line.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .malformedResponse
        default: .connectionBroken(requestSent: requestSent)
        }
    }
}
