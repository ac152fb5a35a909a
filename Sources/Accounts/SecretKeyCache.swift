import Synchronization

/// The secret keys of one open store, the newest first.
public final class SecretKeyCache: Sendable {
    private let keys = Mutex<[SecretKey]>([])

    public init() {}

    public var all: [SecretKey] { keys.withLock(\.self) }

    /// - Returns: whether they are others than before.
    @discardableResult
    public func use(_ renewed: [SecretKey]) -> Bool {
        keys.withLock { keys in
            guard keys != renewed else { return false }
            keys = renewed
            return true
        }
    }
}
