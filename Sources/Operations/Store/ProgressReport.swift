import Composition
import Synchronization
import System

/// Tells on standard error how far something long is, once a second.
final class ProgressReport: Sendable {
    private static let interval = Duration.seconds(1)

    private let what: String
    private let isQuiet: Bool
    private let toldAt = Mutex(MonotonicTime.now)

    /// - Parameter what: what is counted, such as `values tried`.
    init(_ what: String, isQuiet: Bool = false) {
        (self.what, self.isQuiet) = (what, isQuiet)
    }

    /// - Parameter total: nil when nobody knows.
    func tell(_ done: Int, of total: Int?) {
        let now = MonotonicTime.now
        let isDue = toldAt.withLock { toldAt in
            guard now - toldAt >= Self.interval else { return false }
            toldAt = now
            return true
        }
        guard isDue, !isQuiet else { return }
        guard let total, total > 0 else { return StandardError.write("\(done) \(what)\n") }
        StandardError.write("\(done) of about \(total) \(what) (\(min(100, done * 100 / total)) %)\n")
    }
}
