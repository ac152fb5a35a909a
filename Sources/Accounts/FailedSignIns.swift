/// How often sign-ins failed in the same way: at one provider, for one reason, from one part of the net.
public struct FailedSignInCount: Equatable, Sendable {
    /// The configured name of the provider; nil where it was not known yet, or several are counted together.
    public var provider: String?
    /// The error's stable code, with the rule behind it where it has one.
    public var reason: String
    /// The network the requests came from, such as `192.0.2.0/24`; nil where several are counted together.
    public var network: String?
    public var count: Int

    public init(provider: String?, reason: String, network: String?, count: Int) {
        self.provider = provider
        self.reason = reason
        self.network = network
        self.count = count
    }
}

/// A count as it is stored.
public struct FailedSignIns: Equatable, Sendable {
    /// Grows with every row.
    public var id: Int64
    /// When the count ended, in seconds since 1970; it began with the end of the one before, usually a minute earlier.
    public var at: Int64
    public var count: FailedSignInCount

    public init(id: Int64, at: Int64, count: FailedSignInCount) {
        self.id = id
        self.at = at
        self.count = count
    }
}
