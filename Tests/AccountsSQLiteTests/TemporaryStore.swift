import Accounts
import Glibc
import TestSupport

@testable import AccountsSQL
@testable import AccountsSQLite

/// A folder of its own for one test, gone with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = "/tmp/gatehouse-store-\(UInt64.random(in: 0 ... .max))"
        unsafe mkdir(path, 0o700)
    }

    deinit {
        for name in Self.names(in: path) { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }

    var database: String { path + "/gatehouse.db" }

    static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func open(
        key: UInt8 = 0x5A, now: Int64 = Sample.now, _ change: (inout SQLiteSettings) -> Void = { _ in }
    ) async throws(RepositoryError) -> SQLiteAccounts {
        var settings = SQLiteSettings(path: database, access: .server, tables: .own, busyTimeoutMilliseconds: 50)
        change(&settings)
        return try await SQLiteAccounts.open(settings, now: now, unlockKeyRing: TransparentSealer.unlocker(key: key))
    }

    /// A tool beside a server. It waits for that one's lock for longer than a busy machine may stand still.
    func openTool() async throws(RepositoryError) -> SQLiteAccounts {
        try await open {
            $0.access = .besideServer
            $0.busyTimeoutMilliseconds = 5000
        }
    }
}

/// The bytes of a file.
func contents(of path: String) throws -> [UInt8] {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure.cannotOpen }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return bytes }
        bytes += chunk[..<count]
    }
}

/// Writes bytes into a file, made if missing, from an offset on.
func write(_ bytes: [UInt8], to path: String, at offset: Int = 0) throws {
    let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure.cannotOpen }
    defer { close(descriptor) }
    guard unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else { throw FileFailure.cannotWrite }
}

enum FileFailure: Error {
    case cannotOpen
    case cannotWrite
}
