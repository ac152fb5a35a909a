public import System

/// A step that has ended, as a part of a trace.
public struct Span: Sendable {
    public let step: Step
    public let id: StepID
    /// Nil for the request itself.
    public let parent: StepID?
    public let outcome: StepOutcome
    public let began: MonotonicTime
    public let ended: MonotonicTime
    public let detail: SpanDetail?
}

/// What is told of a step beside what it is and how it ended. Nothing in it was sent by a client or is about a person.
public enum SpanDetail: Sendable {
    indirect case request(AnsweredRequest)
    indirect case call(OutboundCall)
    /// - Parameter writes: how many it was of.
    case commit(writes: Int)
}

/// A request that was answered.
public struct AnsweredRequest: Sendable {
    /// As HTTP has it; `_OTHER` for one that no operation has.
    public let method: String
    public let status: Int
    /// The code of the error; nil where there was none.
    public let error: String?
    /// The name of the provider that it was about; nil for none.
    public let provider: String?

    public init(method: String, status: Int, error: String? = nil, provider: String? = nil) {
        (self.method, self.status, self.error, self.provider) = (method, status, error, provider)
    }
}

/// A call of ours to another service.
public struct OutboundCall: Sendable {
    public let method: String
    private let url: String
    private let namesSomebody: Bool
    public let host: String
    public let port: UInt16
    /// Nil where there was no answer.
    public var status: Int?
    /// How often it was sent again.
    public var resends = 0
    /// When a connection was taken that was there, in the last try; likewise what follows.
    public var reused: MonotonicTime?
    public var resolved: MonotonicTime?
    public var connected: MonotonicTime?
    public var secured: MonotonicTime?
    public var sent: MonotonicTime?
    public var answering: MonotonicTime?

    /// - Parameters:
    ///   - url: as it was called.
    ///   - namesSomebody: whether its path may, as in a directory of users.
    public init(method: String, url: String, namesSomebody: Bool, host: String, port: UInt16) {
        (self.method, self.url, self.namesSomebody) = (method, url, namesSomebody)
        (self.host, self.port) = (host, port)
    }

    /// What may be told of the address: all but the values in it.
    public var shownURL: String {
        let path = url.prefix { $0 != "?" }
        guard namesSomebody else { return path.endIndex == url.endIndex ? url : path + "?REDACTED" }
        let authority = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).prefix(2)
        let host = path.dropFirst(authority.map { $0.count + 1 }.reduce(0, +)).prefix { $0 != "/" }
        return authority.joined(separator: "/") + "/" + host + "/REDACTED"
    }

    /// What has happened, in its order.
    public var phases: [CallPhase] {
        let all: [(CallPhase.Name, MonotonicTime?)] = [
            (.reused, reused), (.resolved, resolved), (.connected, connected), (.secured, secured), (.sent, sent),
            (.answering, answering),
        ]
        return all.compactMap { name, moment in moment.map { CallPhase(name, at: $0) } }
    }
}

/// A moment of a call.
public struct CallPhase: Sendable, Equatable {
    public enum Name: String, Sendable {
        /// A connection that was there was taken.
        case reused = "connection.reused"
        /// The host's name was looked up.
        case resolved = "connection.resolved"
        case connected = "connection.connected"
        case secured = "connection.secured"
        /// All of the request was on its way.
        case sent = "request.sent"
        /// The answer's first byte was there.
        case answering = "response.began"
    }

    public let name: Name
    public let at: MonotonicTime

    init(_ name: Name, at: MonotonicTime) {
        (self.name, self.at) = (name, at)
    }
}
