import Glibc
import System

/// What is imported: a file that can be read twice.
struct ImportSource: ~Copyable {
    private let descriptor: OwnedDescriptor
    let byteCount: Int

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - folder: where what comes through a pipe is kept meanwhile, in a file without a name: it holds what the database
    ///     will hold, so it lies where that lies.
    init(path: String, spoolingIn folder: String) throws(FileFailure) {
        try self.init(path == "-" ? Self.standardInput(folder) : Self.file(path), path)
    }

    private init(_ descriptor: consuming OwnedDescriptor, _ path: String) throws(FileFailure) {
        byteCount = try Self.byteCount(descriptor, path)
        self.descriptor = descriptor
    }

    private static func byteCount(
        _ descriptor: borrowing OwnedDescriptor, _ path: String
    ) throws(FileFailure) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else {
            throw FileFailure("the file \(path) can't be read", code: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure("\(path) is no file; - reads standard input", code: EINVAL)
        }
        return Int(status.st_size)
    }

    /// Reads it from its start.
    func lines(longestLine: Int) throws(FileFailure) -> LineReader {
        let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw FileFailure("the file can't be read", code: errno) }
        return LineReader(OwnedDescriptor(owning: copy), longestLine: longestLine)
    }

    private static func file(_ path: String) throws(FileFailure) -> OwnedDescriptor {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw FileFailure("the file \(path) can't be read", code: errno) }
        return OwnedDescriptor(owning: number)
    }

    private static func standardInput(_ folder: String) throws(FileFailure) -> OwnedDescriptor {
        let file = try makeUnnamedFile(in: folder)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
            let code = errno
            if count == 0 { return file }
            if count < 0 {
                guard code == EINTR else { throw FileFailure("standard input can't be read", code: code) }
                continue
            }
            try write(chunk[..<count], to: file)
        }
    }

    private static func makeUnnamedFile(in folder: String) throws(FileFailure) -> OwnedDescriptor {
        let name = "\(folder)/import.\(UInt64.random(in: 0 ... .max))"
        let number = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw FileFailure("no file can be made in \(folder)", code: errno) }
        _ = unsafe unlink(name)
        return OwnedDescriptor(owning: number)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: borrowing OwnedDescriptor) throws(FileFailure) {
        var left = bytes
        while !left.isEmpty {
            let number = file.number
            let count = unsafe left.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            let code = errno
            if count >= 0 {
                left = left.dropFirst(count)
            } else if code != EINTR {
                throw FileFailure("standard input can't be kept beside the database", code: code)
            }
        }
    }
}
