import Accounts
import Glibc

/// Says that somebody has the store open, server or tool, so that nobody puts another file in its place meanwhile: what they
/// are told is stored would be stored in the one that goes.
///
/// The lock is on a file beside the database, and the kernel lets it go with the process.
final class UseLock: Sendable {
    enum Mode {
        /// By everybody who has the store open.
        case shared
        /// By who replaces it.
        case exclusive
    }

    /// Between two looks whether it is to be had.
    private static let pause = Duration.milliseconds(1)

    private let descriptor: Int32

    private init(database path: String, _ mode: Mode) throws(RepositoryError) {
        let path = resolved(path)
        do throws(SystemFailure) {
            descriptor = try systemCall { unsafe open(path + "-open", O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        } catch {
            throw .unavailable(error.unavailability)
        }
        do throws(SystemFailure) {
            try systemCall { flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
        } catch {
            // The descriptor is this object's already, so it is closed as the object goes.
            throw error.code == EWOULDBLOCK ? .inUse : .unavailable(error.unavailability)
        }
    }

    /// - Throws: `.inUse` when it is not to be had in time.
    static func take(
        database path: String, _ mode: Mode, within limit: Duration
    ) async throws(RepositoryError) -> UseLock {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(RepositoryError) {
                return try UseLock(database: path, mode)
            } catch {
                guard error == .inUse, ContinuousClock.now < deadline else { throw error }
            }
            try? await Task.sleep(for: pause)
        }
    }

    deinit {
        // By itself, for a child process between its fork and its exec has a copy of the descriptor, and with it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
