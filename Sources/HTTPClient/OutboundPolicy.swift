/// How one provider's servers may be reached. Connections are shared only between requests of one policy.
public struct OutboundPolicy: Sendable, Hashable {
    /// The path of a PEM file with trust anchors to accept beside the system's.
    public var caFile: String?
    /// Whether addresses may be connected to that the public internet does not route: loopback, private, link-local,
    /// shared (RFC 6598), multicast, unspecified, unique local, IPv4-mapped and the like.
    public var allowsPrivateAddresses: Bool
    /// How many connections one host gets at most from all clients of the process together; further requests wait for
    /// one within their timeout. 0 is no limit.
    public var connectionsPerHost: Int
    /// The longest body taken, in bytes, counted as sent and again after decompression.
    public var maximumBodyBytes: Int
    /// For the name look-up, the connection and the TLS handshake together.
    public var connectTimeout: Duration
    /// By which https goes out. Behind it the address of a host is the proxy's to find, and what can be judged is the
    /// host as it is named.
    public var proxy: OutboundProxy?

    public init(
        caFile: String?, allowsPrivateAddresses: Bool, connectionsPerHost: Int, maximumBodyBytes: Int,
        connectTimeout: Duration, proxy: OutboundProxy? = nil
    ) {
        (self.proxy, self.caFile, self.allowsPrivateAddresses) = (proxy, caFile, allowsPrivateAddresses)
        (self.connectionsPerHost, self.maximumBodyBytes) = (connectionsPerHost, maximumBodyBytes)
        self.connectTimeout = connectTimeout
    }
}

/// The bounds of a client that belong to no provider.
public struct HTTPClientLimits: Sendable, Hashable {
    /// The bytes of all heads and trailers of one answer together, interim answers (1xx) included.
    public var headerBytes: Int
    /// The fields of one head.
    public var headerFields: Int
    /// The idle connections kept for one policy, whatever their hosts; as many as one host may have, and as many again,
    /// are kept in any case.
    public var idleConnections: Int
    /// How long a connection may be used in all: names come to mean other addresses, and who balances load wants to be
    /// asked anew now and then.
    public var connectionLifetime: Duration
    /// After how long without an acknowledgement of what was sent a connection counts as broken (`TCP_USER_TIMEOUT`).
    public var acknowledgementTimeout: Duration
    /// After how long of silence the other side is asked whether it is still there (`TCP_KEEPIDLE`), and how long after
    /// it is asked again (`TCP_KEEPINTVL`).
    public var keepAliveIdle: Duration
    public var keepAliveInterval: Duration
    /// How long an idle connection may still be used. Servers give up theirs after a minute or so, and a request that
    /// crosses with that may not be repeated, so stay below.
    public var idleConnectionLifetime: Duration

    public init(
        headerBytes: Int = 32_768, headerFields: Int = 128, idleConnections: Int = 256,
        idleConnectionLifetime: Duration = .seconds(50), connectionLifetime: Duration = .seconds(300),
        acknowledgementTimeout: Duration = .seconds(10), keepAliveIdle: Duration = .seconds(15),
        keepAliveInterval: Duration = .seconds(5)
    ) {
        (self.headerBytes, self.headerFields, self.idleConnections) = (headerBytes, headerFields, idleConnections)
        (self.idleConnectionLifetime, self.connectionLifetime) = (idleConnectionLifetime, connectionLifetime)
        (self.acknowledgementTimeout, self.keepAliveIdle) = (acknowledgementTimeout, keepAliveIdle)
        self.keepAliveInterval = keepAliveInterval
    }
}

extension Duration {
    /// In milliseconds, rounded up and at least one: to curl and to the system 0 is no limit.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, whole < Int64(Int32.max) else { return Int(Int32.max) }
        return max(1, Int(whole + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// In seconds, rounded up, likewise.
    var wholeSeconds: Int { (wholeMilliseconds + 999) / 1000 }
}
