internal import CCurl
internal import COpenSSL
internal import EventLoop

/// What all transfers of one pool have in common.
struct TransferSettings: ~Copyable {
    let key: ConnectionPool.Key
    let limits: HTTPClientLimits
    /// It outlives the transfers, whose handshakes use it. Nil where none is to be made.
    let trust: TrustAnchors?
    /// Where TLS sessions are kept for resumption.
    let sessions: ShareHandle
}

extension Transfer {
    /// Sets what never changes. Whatever could send a secret elsewhere, or be set from outside, is set explicitly.
    func configure(_ easy: inout EasyHandle, _ settings: borrowing TransferSettings) {
        // Neither the process's signals nor its environment, files or proxies: `http_proxy` alone could turn every code
        // and secret over to somebody else.
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        easy.set(CURLOPT_PROTOCOLS_STR, settings.key.isSecure ? "https" : "http")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_HTTP09_ALLOWED, 0)

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
        easy.set(CURLOPT_MAXAGE_CONN, settings.limits.idleConnectionLifetime.wholeSeconds)
        easy.set(CURLOPT_MAXLIFETIME_CONN, settings.limits.connectionLifetime.wholeSeconds)
        easy.set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        // A look-up runs on a thread of curl's; without this, giving up would wait for that thread, and block the loop.
        easy.set(CURLOPT_QUICK_EXIT, 1)

        // The transfer frees its handle before it goes itself, and curl calls back only for a handle that lives.
        let me = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe easy.set(CURLOPT_PRIVATE, me)
        unsafe setAnswerCallbacks(&easy, me)
        unsafe setConnectionCallbacks(&easy, me)
    }

    private func setAnswerCallbacks(_ easy: inout EasyHandle, _ me: UnsafeRawPointer) {
        unsafe easy.set(CURLOPT_HEADERDATA, me)
        unsafe easy.setWriter(CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
            unsafe Transfer.at(transfer).receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe easy.set(CURLOPT_WRITEDATA, me)
        unsafe easy.setWriter(CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
            unsafe Transfer.at(transfer).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe easy.set(CURLOPT_XFERINFODATA, me)
        easy.set(CURLOPT_NOPROGRESS, 0)
        easy.note(
            unsafe CCurl_easy_set_progress(easy.raw) { transfer, _, received, _, _ in
                unsafe Transfer.at(transfer).noteProgress(received: Int(received)) ? 0 : 1
            })
    }

    private func setConnectionCallbacks(_ easy: inout EasyHandle, _ me: UnsafeRawPointer) {
        unsafe easy.set(CURLOPT_PREREQDATA, me)
        easy.note(
            unsafe CCurl_easy_set_prerequest(easy.raw) { transfer, _, _, _, localPort in
                unsafe Transfer.at(transfer).mayBeSent(from: localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            })
        unsafe easy.set(CURLOPT_OPENSOCKETDATA, me)
        easy.note(
            unsafe CCurl_easy_set_open_socket(easy.raw) { transfer, _, address in
                guard let address = unsafe address else { return -1 }
                return unsafe Transfer.at(transfer).openSocket(address)
            })
        // A connection outlives the transfer that opened it, so it is the table that closes it.
        unsafe easy.set(CURLOPT_CLOSESOCKETDATA, UnsafeRawPointer(Unmanaged.passUnretained(sockets).toOpaque()))
        easy.note(
            unsafe CCurl_easy_set_close_socket(easy.raw) { table, descriptor in
                guard let table = unsafe table else { return 1 }
                unsafe Unmanaged<SocketTable>.fromOpaque(table).takeUnretainedValue().close(descriptor)
                return 0
            })
    }

    /// The transfer behind a pointer that ``configure(_:_:)`` gave to curl.
    static func at(_ pointer: UnsafeMutableRawPointer!) -> Transfer {
        unsafe Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
    }
}
