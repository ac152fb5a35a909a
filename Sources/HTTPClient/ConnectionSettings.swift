internal import CCurl
internal import COpenSSL
internal import EventLoop

/// What all connections of one pool have in common.
struct ConnectionSettings: ~Copyable {
    let key: ConnectionPool.Key
    let limits: HTTPClientLimits
    /// It outlives the connections, whose handshakes use it. Nil where none is to be made.
    let trust: TrustAnchors?
    /// Where TLS sessions are kept for resumption.
    let sessions: ShareHandle
}

extension OutboundConnection {
    /// Sets what never changes. Whatever could send a secret elsewhere, or be set from outside, is set explicitly.
    func configure(_ easy: inout EasyHandle, _ settings: borrowing ConnectionSettings) {
        // It connects, and that is all: the messages are ours.
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_FRESH_CONNECT, 1)

        // Neither the process's signals nor its environment, files or proxies: `http_proxy` alone could turn every code
        // and secret over to somebody else.
        easy.set(CURLOPT_NOSIGNAL, 1)
        setProxy(&easy, settings.key.proxy)
        easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        easy.set(CURLOPT_PROTOCOLS_STR, settings.key.isSecure ? "https" : "http")
        easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)

        easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Curl reads no anchors itself: it is given those that all loops share.
        easy.set(CURLOPT_CAINFO, nil as String?)
        easy.set(CURLOPT_CAPATH, nil as String?)
        unsafe easy.set(CURLOPT_SSL_CTX_DATA, settings.trust.map { unsafe UnsafeRawPointer($0.store) })
        easy.note(
            unsafe CCurl_easy_set_ssl_context(easy.raw) { _, context, store in
                guard let context = unsafe context, let store = unsafe store else { return CURLE_SSL_CERTPROBLEM }
                // The context takes a reference of its own.
                unsafe SSL_CTX_set1_cert_store(OpaquePointer(context), OpaquePointer(store))
                return CURLE_OK
            })
        unsafe easy.set(CURLOPT_SHARE, UnsafeRawPointer(settings.sessions.raw))

        // Cheaper than HTTP/2 for calls as small as these, and a connection that dies takes one call with it, not all.
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A look-up runs on a thread of curl's; without this, giving up would wait for that thread, and block the loop.
        easy.set(CURLOPT_QUICK_EXIT, 1)

        // The connection frees its handle before it goes itself, and curl calls back only for a handle that lives.
        let me = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe easy.set(CURLOPT_PRIVATE, me)
        unsafe setSocketCallbacks(&easy, me)
    }

    /// Which is said in so many words, be there one or not: `HTTPS_PROXY` and `NO_PROXY` count for nothing.
    private func setProxy(_ easy: inout EasyHandle, _ proxy: OutboundProxy?) {
        easy.set(CURLOPT_PROXY, proxy?.address ?? "")
        easy.set(CURLOPT_NOPROXY, "")
        guard let proxy else { return }
        easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        easy.set(CURLOPT_PROXYUSERPWD, nil as String?)
        if let credentials = proxy.credentials {
            // One by one, since together they would be decoded once more.
            let parts = credentials.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            easy.set(CURLOPT_PROXYUSERNAME, String(parts[0]))
            easy.set(CURLOPT_PROXYPASSWORD, String(parts.last ?? ""))
        }
        let me = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe easy.set(CURLOPT_HEADERDATA, me)
        easy.note(
            unsafe CCurl_easy_set_header(easy.raw) { _, size, count, connection in
                unsafe OutboundConnection.at(connection).hearProxy(size * count) ? size * count : 0
            })
    }

    private func setSocketCallbacks(_ easy: inout EasyHandle, _ me: UnsafeRawPointer) {
        unsafe easy.set(CURLOPT_OPENSOCKETDATA, me)
        easy.note(
            unsafe CCurl_easy_set_open_socket(easy.raw) { connection, _, address in
                guard let address = unsafe address else { return -1 }
                return unsafe OutboundConnection.at(connection).openSocket(address)
            })
        // The table, which has opened them, is told of their end.
        unsafe easy.set(CURLOPT_CLOSESOCKETDATA, UnsafeRawPointer(Unmanaged.passUnretained(sockets).toOpaque()))
        easy.note(
            unsafe CCurl_easy_set_close_socket(easy.raw) { table, descriptor in
                guard let table = unsafe table else { return 1 }
                unsafe Unmanaged<SocketTable>.fromOpaque(table).takeUnretainedValue().close(descriptor)
                return 0
            })
    }

    /// The connection behind a pointer that ``configure(_:_:)`` gave to curl.
    static func at(_ pointer: UnsafeMutableRawPointer!) -> OutboundConnection {
        unsafe Unmanaged<OutboundConnection>.fromOpaque(pointer).takeUnretainedValue()
    }
}
