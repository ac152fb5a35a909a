import CSQLite
import Glibc

/// How long a connection waits for another's lock, looking again every millisecond. SQLite's own way is to sleep longer
/// from look to look, and so to lose each gap to a connection that looks more often.
///
/// It belongs to one connection and is touched by that one's queue alone.
final class LockPatience {
    private static let step: useconds_t = 1000

    private let limit: Duration
    private var began = ContinuousClock.now
    private var isSuspended = false

    init(_ limit: Duration) {
        self.limit = limit
    }

    /// Answers SQLite from now on. It must outlive the connection.
    func attend(_ database: OpaquePointer) {
        // SQLite calls within calls on the connection only, and this object is the connection's own.
        unsafe sqlite3_busy_handler(
            database,
            { context, calls in
                guard let context = unsafe context else { return 0 }
                let patience = unsafe Unmanaged<LockPatience>.fromOpaque(context).takeUnretainedValue()
                return patience.wait(isFirst: calls == 0) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Runs `body` so that it waits for nobody.
    func suspended<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        isSuspended = true
        defer { isSuspended = false }
        return try body()
    }

    /// - Returns: whether it is worth another look.
    private func wait(isFirst: Bool) -> Bool {
        if isSuspended { return false }
        let now = ContinuousClock.now
        if isFirst { began = now }
        guard now - began < limit else { return false }
        usleep(Self.step)
        return true
    }
}
