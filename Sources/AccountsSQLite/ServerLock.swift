import Accounts
import Glibc

/// Keeps every other server from the same file, and says who may copy its log back: the server, or a tool for a moment in
/// which there is none.
///
/// The lock is on a file beside the database, the real one, whatever links lead there. It belongs to the open descriptor,
/// so the kernel lets it go with the process, however that ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    /// Between two looks whether it is free.
    private static let pause = Duration.milliseconds(1)

    /// - Throws: `.inUse` when another server has it.
    init(database path: String) throws(RepositoryError) {
        let path = resolved(path)
        do throws(SystemFailure) {
            descriptor = try systemCall { unsafe open(path + "-server", O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        } catch {
            throw .unavailable(error.unavailability)
        }
        do throws(SystemFailure) {
            try systemCall { flock(descriptor, LOCK_EX | LOCK_NB) }
        } catch {
            // The descriptor is this object's already, so it is closed as the object goes.
            throw error.code == EWOULDBLOCK ? .inUse : .unavailable(error.unavailability)
        }
    }

    /// Waits for a tool that has it for a moment.
    ///
    /// - Throws: `.inUse` when it is not to be had in time.
    static func take(database path: String, within limit: Duration) async throws(RepositoryError) -> ServerLock {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(RepositoryError) {
                return try ServerLock(database: path)
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
