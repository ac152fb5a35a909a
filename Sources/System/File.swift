public import Glibc

/// An open file with one owner, which closes it when it goes. No other program that is started gets it (`O_CLOEXEC`).
public struct File: ~Copyable, Sendable {
    private static let chunkBytes = 1 << 16

    private let descriptor: OwnedDescriptor

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - flags: as for open(2).
    ///   - mode: of a file that is made.
    public init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
        descriptor = OwnedDescriptor(
            owning: try systemCall("open") { unsafe open(path, flags | O_CLOEXEC, mode) })
    }

    /// Standard input, which stays open when this file goes.
    public static func standardInput() throws(SystemError) -> File {
        try File(owning: OwnedDescriptor(duplicating: STDIN_FILENO))
    }

    /// Takes ownership of an open descriptor.
    public init(owning descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// The number to call the system with. It must not outlive the file.
    public var number: Int32 { descriptor.number }

    /// Reads from where the last reading ended.
    ///
    /// - Returns: how many bytes of `buffer` are filled; 0 at the end of the file.
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
        let number = number
        return try systemCall("read") {
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
        }
    }

    /// Reads from a place in the file, wherever the last reading ended.
    ///
    /// - Returns: how many bytes of `buffer` are filled; 0 at the end of the file.
    public borrowing func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        let number = number
        return try systemCall("pread") {
            unsafe buffer.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, offset) }
        }
    }

    /// What is left of the file, as far as it has no more than `limit` bytes; those beyond are not read.
    public borrowing func readAll(limit: Int = .max) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, Self.chunkBytes))
        while bytes.count < limit {
            let count = try read(into: &chunk)
            if count == 0 { break }
            bytes += chunk[..<min(count, limit - bytes.count)]
        }
        return bytes
    }

    /// Writes all of it, or fails.
    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) {
        let number = number
        var done = 0
        while done < bytes.count {
            let rest = bytes.extracting(done..<bytes.count)
            done += try systemCall("write") {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
        }
    }

    /// Has what the file holds on disk.
    public borrowing func sync() throws(SystemError) {
        let number = number
        try systemCall("fsync") { fsync(number) }
    }

    public borrowing func status() throws(SystemError) -> FileStatus {
        let number = number
        var status = stat()
        try systemCall("fstat") { unsafe fstat(number, &status) }
        return FileStatus(status)
    }

    /// Locks the file against other openings of it, of other processes and of this one (flock(2)), until ``unlock()``.
    ///
    /// - Parameter isShared: whether others may have it in the same way.
    /// - Returns: false when somebody has it in a way that excludes this one.
    public borrowing func lock(isShared: Bool) throws(SystemError) -> Bool {
        let number = number
        return try nonBlockingCall("flock") { flock(number, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) } != nil
    }

    /// Lets the lock go at once. Closing does it only with the last copy of the descriptor, and a child process has one
    /// between its fork and its exec.
    public borrowing func unlock() {
        flock(number, LOCK_UN)
    }

    /// The same open file once more, for another owner.
    public borrowing func duplicate() throws(SystemError) -> File {
        File(owning: try OwnedDescriptor(duplicating: number))
    }
}

/// What the system says of a file.
public struct FileStatus: Sendable, Equatable {
    /// In bytes.
    public let size: Int64
    public let isRegular: Bool
    public let isFolder: Bool
    /// How many names it has.
    public let names: Int
    public let owner: uid_t
    /// Whether everybody on this machine may read it.
    public let isReadableByOthers: Bool
    /// When its content was last changed: seconds since 1970, and nanoseconds of the next.
    public let changedSeconds: Int
    public let changedNanoseconds: Int

    init(_ status: stat) {
        size = Int64(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        names = Int(status.st_nlink)
        owner = status.st_uid
        isReadableByOthers = status.st_mode & S_IROTH != 0
        (changedSeconds, changedNanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// - Parameter followsLinks: whether a symbolic link stands for what it leads to.
    /// - Throws: `SystemError`, with `ENOENT` when there is nothing.
    public init(of path: String, followsLinks: Bool = true) throws(SystemError) {
        var status = stat()
        try systemCall("stat") { unsafe followsLinks ? stat(path, &status) : lstat(path, &status) }
        self.init(status)
    }
}
