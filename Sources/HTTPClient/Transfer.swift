internal import CCurl
internal import Glibc
internal import Syntax

/// One request on its way, and the easy handle it uses; both are used again for later requests of the same pool.
@safe
final class Transfer {
    typealias Outcome = Result<OutboundResponse, HTTPClientError>

    /// Which request this is; 0 while idle.
    private(set) var id: UInt64 = 0
    /// Where it stands among the pool's active transfers.
    var position = 0
    /// Set when the callbacks have stopped the transfer, and why.
    var refusal: HTTPClientError?
    var head: ResponseHead
    var body: [UInt8] = []
    var maximumBodyBytes = 0
    /// Whether a request may be repeated by curl, on a new connection, when a connection that was idle turns out dead.
    private(set) var isRepeatable = false
    /// Whether the handle must not serve again: curl keeps the system's error in it, until another comes.
    private(set) var isWorn = false
    /// How often the request had a connection to go out on.
    var timesSent = 0
    /// Our end of the connection it went out on.
    var localPort: UInt16 = 0
    var addressesRefused = 0
    var socketsOpened = 0
    let allowsPrivateAddresses: Bool
    /// The pool owns both, and its transfers.
    unowned let sockets: SocketTable
    private var easy: EasyHandle
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var continuation: CheckedContinuation<Outcome, Never>?

    /// - Returns: nil when curl is out of memory or lacks an option that is needed.
    init?(_ settings: borrowing TransferSettings, sockets: SocketTable) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.sockets = sockets
        allowsPrivateAddresses = settings.key.allowsPrivateAddresses
        head = ResponseHead(limits: settings.limits)
        configure(&self.easy, settings)
        guard self.easy.isConfigured else { return nil }
    }

    var raw: UnsafeMutableRawPointer { unsafe easy.raw }

    /// Loads a request.
    ///
    /// - Throws: `malformedResponse` for a header field that would not be one field, `couldNotConnect` when curl does not
    ///   take the request.
    func load(_ request: OutboundRequest, id: UInt64) throws(HTTPClientError) {
        defer { if self.id == 0 { unload() } }
        for (name, value) in request.headers { try append(name: name, value: value) }
        // Curl would wait for the server's leave before it sends a large body.
        if request.method == .post { try append(line: "Expect:") }
        maximumBodyBytes = request.policy.maximumBodyBytes
        isRepeatable = request.method == .get
        easy.set(CURLOPT_URL, request.url.text)
        unsafe easy.set(CURLOPT_HTTPHEADER, UnsafeRawPointer(headers))
        easy.setOffset(CURLOPT_MAXFILESIZE_LARGE, max(1, maximumBodyBytes))
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, min(request.policy.connectTimeout, request.timeout).wholeMilliseconds)
        switch request.method {
        case .get: easy.set(CURLOPT_HTTPGET, 1)
        case .post:
            easy.setOffset(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
            if request.body.isEmpty {
                // An empty array may have no address, and without one curl would ask for a body elsewhere.
                easy.set(CURLOPT_COPYPOSTFIELDS, "")
            } else {
                unsafe request.body.withUnsafeBytes { unsafe easy.set(CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            }
        }
        guard easy.isConfigured else { throw .couldNotConnect }
        self.id = id
    }

    func attach(_ continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    /// Says how it ended to whoever waits, and gets ready for the next request.
    func finish(_ outcome: Outcome) {
        let waiting = continuation
        continuation = nil
        id = 0
        unload()
        waiting?.resume(returning: outcome)
    }

    /// What came of it, once curl is done with it. Read it before the handle leaves the multi handle.
    func outcome(_ code: CURLcode) -> Outcome {
        // What TCP gave up to have acknowledged: to whoever waits it is as late as an answer that never came.
        if requestSent, code != CURLE_OK, easy.integer(CURLINFO_OS_ERRNO) == Int(ETIMEDOUT) {
            isWorn = true
            return .failure(.timedOut(requestSent: true))
        }
        if let refusal { return .failure(refusal) }
        guard code == CURLE_OK else {
            return .failure(
                TransferFailure(
                    code: code, requestSent: requestSent,
                    everyAddressRefused: addressesRefused > 0 && socketsOpened == 0,
                    certificateVerdict: easy.integer(CURLINFO_SSL_VERIFYRESULT)
                ).error)
        }
        let status = easy.integer(CURLINFO_RESPONSE_CODE)
        guard (200...999).contains(status) else { return .failure(.malformedResponse) }
        return .success(OutboundResponse(status: status, fields: head.fields, body: body))
    }

    /// Whether any byte of the request can have left.
    var requestSent: Bool { timesSent > 0 }

    private func unload() {
        // The request holds secrets: they need not lie here until the next one.
        easy.set(CURLOPT_COPYPOSTFIELDS, nil as String?)
        unsafe easy.set(CURLOPT_HTTPHEADER, nil as UnsafeRawPointer?)
        unsafe curl_slist_free_all(headers)
        unsafe headers = nil
        refusal = nil
        head.reset()
        body = []
        timesSent = 0
        addressesRefused = 0
        socketsOpened = 0
    }

    private func append(name: String, value: String) throws(HTTPClientError) {
        // RFC 9110 §5.5: a value with a line end or a NUL would end the field and begin another.
        guard !name.isEmpty, name.utf8.allSatisfy(\.isToken), Self.isFieldValue(value.utf8.span) else {
            throw .malformedResponse
        }
        // To curl a bare colon takes the field away, and a semicolon sends it empty.
        try append(line: value.isEmpty ? name + ";" : name + ": " + value)
    }

    private static func isFieldValue(_ value: Span<UInt8>) -> Bool {
        // Looked at whole, so that the compiler takes many bytes at a time.
        var found: UInt8 = 0
        for index in 0..<value.count {
            let byte = value[index]
            found |= byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F ? 1 : 0
        }
        return found == 0
    }

    private func append(line: String) throws(HTTPClientError) {
        guard let longer = unsafe curl_slist_append(headers, line) else { throw .couldNotConnect }
        unsafe headers = longer
    }
}

extension Duration {
    /// In milliseconds, rounded up and at least one: to curl 0 is no limit.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, whole < Int64(Int32.max) else { return Int(Int32.max) }
        return max(1, Int(whole + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// In seconds, rounded up, likewise.
    var wholeSeconds: Int { (wholeMilliseconds + 999) / 1000 }
}

/// What curl calls while it runs, always on the loop. None of it may call curl, and a wrong count stops the transfer.
extension Transfer {
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(HTTPClientError) {
            try head.receive(unsafe line.assumingMemoryBound(to: UInt8.self).span)
            return line.count
        } catch {
            refusal = error
            return 0
        }
    }

    /// - Parameter bytes: decompressed, in pieces small enough to stop a body that explodes.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= maximumBodyBytes - body.count else {
            refusal = .responseTooLarge
            return 0
        }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }

    /// - Parameter received: the body's bytes so far, as they came. A compressed body may grow without end and yet yield
    ///   nothing.
    func noteProgress(received: Int) -> Bool {
        guard received <= maximumBodyBytes else {
            refusal = refusal ?? .responseTooLarge
            return false
        }
        return true
    }

    /// Asked once there is a connection, before any byte of the request goes out on it.
    ///
    /// Curl repeats a request by itself when a connection that was idle ends without an answer. The server may have
    /// acted on it nevertheless, and a code counts once: so only a GET is repeated (RFC 9110 §9.2.2).
    ///
    /// - Parameter port: our end of the connection.
    func mayBeSent(from port: Int32) -> Bool {
        localPort = UInt16(truncatingIfNeeded: port)
        guard timesSent == 0 || isRepeatable else {
            refusal = .connectionBroken(requestSent: true)
            return false
        }
        timesSent += 1
        return true
    }

    /// Opens a socket for one address of the host, if the policy allows it.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let isAllowed =
            unsafe allowsPrivateAddresses || withUnsafePointer(to: &address.pointee.addr, AddressFilter.isPublic)
        guard isAllowed else {
            addressesRefused += 1
            return -1
        }
        socketsOpened += 1
        return unsafe sockets.open(
            family: address.pointee.family, type: address.pointee.socktype, protocol: address.pointee.protocol)
    }
}
