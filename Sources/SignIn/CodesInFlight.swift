internal import Accounts
import Synchronization

/// The authorization codes that are being exchanged right now in this process.
///
/// The repository remembers a code once its exchange is over; until then this set keeps a second request with the same
/// code from being sent to the provider beside the first.
public final class CodesInFlight: Sendable {
    private let codes = Mutex<Set<Accounts.TokenHash>>([])

    public init() {}

    /// Claims a code.
    ///
    /// - Returns: false when another request has it.
    func claim(_ code: Accounts.TokenHash) -> Bool {
        codes.withLock { $0.insert(code).inserted }
    }

    func release(_ code: Accounts.TokenHash) {
        _ = codes.withLock { $0.remove(code) }
    }
}
