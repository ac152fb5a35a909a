import Accounts
import Glibc

/// Keeps every other server from the same file.
///
/// The lock is on a file beside the database and belongs to the open descriptor, so the kernel lets it go with the
/// process, however that ends.
final class ServerLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `.inUse` when another server has it.
    init(database path: String) throws(RepositoryError) {
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

    deinit {
        // By itself, for a child process between its fork and its exec has a copy of the descriptor, and with it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
