public import Logging
import Synchronization

/// The level from which on log lines are written, shared by all loggers of a server.
public final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    public init(_ level: Logger.Level) {
        current = Mutex(level)
    }

    public var level: Logger.Level {
        get { current.withLock(\.self) }
        set { current.withLock { $0 = newValue } }
    }
}
