import Accounts
import AccountsSQL
import Glibc
import System

/// A lock on a file beside the database, the real one, whatever links lead there. It belongs to the open descriptor, so
/// the kernel lets it go with the process, however that ends.
final class StoreLock: Sendable {
    enum Mode {
        /// Keeps every other server from the store, and says who may copy its log back: the server, or a tool for a
        /// moment in which there is none.
        case server
        /// Says that somebody has the store open, server or tool, so that nobody puts another file in its place
        /// meanwhile: what they are told is stored would be stored in the one that goes. Any number may have it.
        case use
        /// Of who puts another file in the store's place: while nobody has it open.
        case replacement

        fileprivate var suffix: String { self == .server ? "-server" : "-open" }
        fileprivate var isShared: Bool { self == .use }
    }

    /// Between two looks whether it is to be had.
    private static let pause = Duration.milliseconds(1)

    private let file: File
    /// The database itself, which may have another name elsewhere: a server of that one would have another log of it.
    private let database: File?

    /// - Throws: `.inUse` when somebody else has it in a mode that excludes this one.
    init(_ mode: Mode, database path: String) throws(RepositoryError) {
        let resolved = FileNames.resolved(path)
        let isLocked: Bool
        do throws(SystemError) {
            file = try File(resolved + mode.suffix, O_RDWR | O_CREAT)
            // SQLite locks by other means, which closing this would let go: it outlives every connection.
            database = mode == .server && FileNames.exists(resolved) ? try File(resolved, O_RDONLY) : nil
            var isFree = try file.lock(isShared: mode.isShared)
            if isFree, database != nil { isFree = try database?.lock(isShared: false) ?? true }
            isLocked = isFree
        } catch {
            throw .unavailable(error.unavailability)
        }
        guard isLocked else { throw .notOpened(.inUse) }
    }

    /// Waits for those who have it for a moment.
    ///
    /// - Throws: `.inUse` when it is not to be had in time.
    static func take(
        _ mode: Mode, database path: String, within limit: Duration
    ) async throws(RepositoryError) -> StoreLock {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(RepositoryError) {
                return try StoreLock(mode, database: path)
            } catch {
                guard error == .notOpened(.inUse), ContinuousClock.now < deadline else { throw error }
            }
            try? await Task.sleep(for: pause)
        }
    }

    deinit {
        file.unlock()
        database?.unlock()
    }
}
