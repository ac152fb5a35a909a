package import Logging
package import Observability
import Synchronization

/// The log of a running server, kept instead of written.
public final class RecordedLog: Sendable {
    private let lines = Mutex<[String]>([])
    private let format: LogFormat

    package init(format: LogFormat = .text) {
        self.format = format
    }

    package var logger: Logger {
        Logger(label: "test") { _ in
            LogOutput(format: self.format, threshold: LogThreshold(.trace), timestamp: LogOutput.currentTimestamp) {
                line in
                self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    /// All of it, a line for each request and each call.
    public var text: String { lines.withLock { $0.joined() } }
}
