internal import CCurl
internal import EventLoop
internal import Glibc
internal import Syntax
internal import System

/// One connection to a server, which curl has made: looked up, connected and, over TLS, verified. It carries one
/// exchange at a time.
///
/// The bytes of the messages are ours, and curl moves them only where TLS is between: as a client of HTTP it costs more
/// than all the rest of a call.
@safe
final class OutboundConnection: ReadinessHandler, @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, by its pool, by the loop that tells of readiness, and by curl,
    // which calls back while the pool or this calls it.

    /// What a try to move bytes came to.
    private enum Moved {
        case bytes(Int), wouldBlock, end
        case failed(HTTPClientError)
    }

    let server: Server
    /// The one that it carries, or for which it is opened.
    var exchange: Exchange?
    /// How many exchanges it has carried to their end.
    private(set) var served = 0
    private(set) var idleSince = MonotonicTime.now
    private(set) lazy var peer = TCPState.peer(descriptor)
    private let openedAt = MonotonicTime.now
    private let isSecure: Bool
    private let allowsPrivateAddresses: Bool
    /// Both own what they are asked for, and outlive their connections.
    private unowned let pool: ConnectionPool
    unowned let sockets: SocketTable
    private var easy: EasyHandle
    /// -1 until it is made.
    private(set) var descriptor: Int32 = -1
    private var addressesRefused = 0
    private var socketsOpened = 0
    /// How much the proxy may still say before there is a tunnel.
    private var proxyHeaderBytesLeft: Int

    /// - Returns: nil when curl is out of memory or lacks an option that is needed.
    init?(to server: Server, for exchange: Exchange, _ settings: borrowing ConnectionSettings, _ pool: ConnectionPool) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.server = server
        self.exchange = exchange
        self.pool = pool
        sockets = pool.sockets
        isSecure = settings.key.isSecure
        // The proxy's own address is the operator's word.
        allowsPrivateAddresses = settings.key.allowsPrivateAddresses || settings.key.proxy != nil
        proxyHeaderBytesLeft = settings.limits.headerBytes
        configure(&self.easy, settings)
        self.easy.set(CURLOPT_URL, exchange.request.content.url.text)
        let patience = min(exchange.request.content.policy.connectTimeout, exchange.request.timeout)
        self.easy.set(CURLOPT_CONNECTTIMEOUT_MS, patience.wholeMilliseconds)
        guard self.easy.isConfigured else { return nil }
    }

    var raw: UnsafeMutableRawPointer { unsafe easy.raw }

    /// Takes the connection over from curl, once that has made it.
    func take() throws(HTTPClientError) {
        descriptor = easy.socket
        // It makes curl keep the connection for this handle alone: what stands idle it would look after by itself.
        guard case .wouldBlock = receive(byCurl: true) else { throw .connectionBroken(requestSent: false) }
        do throws(SystemError) {
            try sockets.handOver(descriptor, to: self)
        } catch {
            throw .couldNotConnect
        }
    }

    /// How it came to be, once it has.
    var times: ConnectionTimes {
        let secured = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        return ConnectionTimes(
            resolved: openedAt + easy.duration(CURLINFO_NAMELOOKUP_TIME_T),
            connected: openedAt + easy.duration(CURLINFO_CONNECT_TIME_T),
            secured: secured > .zero ? openedAt + secured : nil)
    }

    /// Why there is no connection.
    func failure(_ code: CURLcode) -> HTTPClientError {
        ConnectFailure(
            code: code, everyAddressRefused: addressesRefused > 0 && socketsOpened == 0,
            certificateVerdict: easy.integer(CURLINFO_SSL_VERIFYRESULT),
            proxyStatus: easy.integer(CURLINFO_HTTP_CONNECTCODE)
        ).error
    }

    /// Hears a piece of the proxy's answer.
    ///
    /// - Returns: whether it may go on.
    func hearProxy(_ count: Int) -> Bool {
        proxyHeaderBytesLeft -= count
        return proxyHeaderBytesLeft >= 0
    }

    /// Sends what the system takes of the exchange's request; the rest goes when it takes more.
    func send() {
        guard let exchange else { return }
        while !exchange.isSent {
            switch send(exchange.message, from: exchange.sentBytes) {
            case .bytes(let count):
                exchange.sentBytes += count
                if exchange.isSent { exchange.request.times?.noteSent() }
            case .wouldBlock: return sockets.wait(descriptor, for: [.readable, .writable])
            // What the server said before it went may still be there to be read.
            case .end, .failed: return receive()
            }
        }
    }

    func descriptorIsReady(_ readiness: Readiness) {
        guard let exchange else {
            if !isOpen { pool.close(self) }
            return
        }
        if !exchange.isSent, readiness.contains(.writable) {
            sockets.wait(descriptor, for: .readable)
            send()
        }
        if self.exchange === exchange, readiness != .writable { receive() }
    }

    /// Reads what has come of the answer.
    private func receive() {
        guard let exchange else { return }
        while true {
            switch receive(byCurl: isSecure) {
            case .wouldBlock: return
            case .bytes(let count):
                if !exchange.parser.hasBegun { exchange.request.times?.noteAnswering() }
                do throws(HTTPClientError) {
                    let bytes = pool.received
                    let progress = try exchange.parser.receive(bytes.span.extracting(..<count))
                    if case .finished(let keeps) = progress {
                        served += 1
                        idleSince = .now
                        return pool.finish(exchange, keeps: keeps && exchange.isSent)
                    }
                } catch {
                    return pool.end(exchange, .failure(error))
                }
                // The loop tells of the rest, but not of what waits inside of TLS.
                if !isSecure, count < pool.received.count { return }
            case .end:
                // Whether TLS has announced the end (RFC 9112 §9.8) is not asked, since many servers don't: a JSON text
                // or a JWT that somebody has cut off is none any more.
                do throws(HTTPClientError) {
                    try exchange.parser.endOfStream()
                    return pool.finish(exchange, keeps: false)
                } catch {
                    return pool.lose(exchange, error)
                }
            case .failed(let error): return pool.lose(exchange, error)
            }
        }
    }

    /// Whether it may carry another exchange, by its age.
    func isFresh(_ limits: HTTPClientLimits, now: MonotonicTime) -> Bool {
        now - idleSince <= limits.idleConnectionLifetime && now - openedAt <= limits.connectionLifetime
    }

    /// Whether the other side keeps it open, and has said nothing unasked. What it says inside of TLS, such as that the
    /// session can be resumed, is read.
    var isOpen: Bool {
        if isSecure {
            guard case .wouldBlock = receive(byCurl: true) else { return false }
            return true
        }
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN
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

    // MARK: Bytes

    // Safe, the two that follow: the system and curl get the address and the length of a buffer that stays until they
    // return.

    private func send(_ bytes: [UInt8], from start: Int) -> Moved {
        unsafe bytes.withUnsafeBytes { raw in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: raw[start...])
            if isSecure {
                var count = 0
                let code = unsafe curl_easy_send(easy.raw, rest.baseAddress, rest.count, &count)
                return moved(count, code)
            }
            // A peer that is gone is an error to handle here, not a signal that ends the process.
            return moved(unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL)))
        }
    }

    /// Reads into the pool's buffer.
    private func receive(byCurl: Bool) -> Moved {
        unsafe pool.received.withUnsafeMutableBytes { buffer in
            guard byCurl else { return moved(unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)) }
            var count = 0
            let code = unsafe curl_easy_recv(easy.raw, buffer.baseAddress, buffer.count, &count)
            return moved(count, code)
        }
    }

    private func moved(_ count: Int) -> Moved {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .failed(Self.failure(errno))
    }

    private func moved(_ count: Int, _ code: CURLcode) -> Moved {
        switch code {
        case CURLE_OK: count > 0 ? .bytes(count) : .end
        case CURLE_AGAIN: .wouldBlock
        default: .failed(Self.failure(Int32(truncatingIfNeeded: easy.integer(CURLINFO_OS_ERRNO))))
        }
    }

    /// When TCP gives up waiting for an acknowledgement, the caller sees a timeout, as for an answer that never came.
    private static func failure(_ code: Int32) -> HTTPClientError {
        code == ETIMEDOUT ? .timedOut(requestSent: true) : .connectionBroken(requestSent: true)
    }
}
