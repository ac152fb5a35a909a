public import Crypto
internal import Glibc
import Syntax

/// The master key's file: 256 random bits as base64url, readable by its owner alone.
public enum MasterKey {
    /// Why there is no master key.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case cannotRead(path: String, reason: String)
        case cannotCreate(path: String, reason: String)
        /// The file holds something else than a key.
        case notAKey(path: String)

        public var description: String {
            switch self {
            case .cannotRead(let path, let reason): "the master key file \(path) can't be read: \(reason)"
            case .cannotCreate(let path, let reason): "the master key file \(path) can't be made: \(reason)"
            case .notAKey(let path): "the master key file \(path) does not hold 32 bytes in base64url"
            }
        }
    }

    private static let longestFile = 4096

    /// Reads the key; makes the file, once, when it does not exist and may be made.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - database: the file whose values are sealed. Once it exists, a missing key is an error and not a reason to
    ///     make another, which could open nothing. Nil when the key must exist in any case.
    public static func load(path: String, madeWith database: String?) throws(Failure) -> SymmetricKey {
        let mayCreate = database.map { unsafe access($0, F_OK) != 0 } ?? false
        return mayCreate ? try loadOrMake(path: path) : try read(path)
    }

    /// Reads the key; makes the file when there is none.
    public static func loadOrMake(path: String) throws(Failure) -> SymmetricKey {
        do throws(Failure) {
            return try read(path)
        } catch .cannotRead(_, reason: reason(ENOENT)) {
            try create(path)
            return try read(path)
        }
    }

    private static func read(_ path: String) throws(Failure) -> SymmetricKey {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(path: path, reason: reason(errno)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longestFile)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .cannotRead(path: path, reason: reason(errno)) }
        var text = bytes.prefix(count)
        while let last = text.last, last == 0x0A || last == 0x0D || last == 0x20 { text.removeLast() }
        guard let key = Base64URL.decode(Array(text).span), key.count == SymmetricKey.byteCount,
            let symmetricKey = try? SymmetricKey(Secret(key))
        else { throw .notAKey(path: path) }
        return symmetricKey
    }

    /// The file gets its name when it is whole and on disk, and only if nobody else has made it: of two servers that start
    /// at once both read one key, and a crash leaves either a key or nothing.
    private static func create(_ path: String) throws(Failure) {
        try createFolders(of: path)
        let draft = "\(path).\(Random.token(byteCount: 6))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: reason(errno)) }
        defer {
            close(descriptor)
            _ = unsafe unlink(draft)
        }
        let text = Array((Random.token(byteCount: SymmetricKey.byteCount) + "\n").utf8)
        let written = unsafe text.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard written == text.count, fsync(descriptor) == 0, unsafe link(draft, path) == 0 || errno == EEXIST else {
            throw .cannotCreate(path: path, reason: reason(errno))
        }
        try syncFolder(of: path)
    }

    /// The name must outlive a power cut too, before the first value is sealed under the key.
    private static func syncFolder(of path: String) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: reason(errno)) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .cannotCreate(path: path, reason: reason(errno)) }
    }

    /// Makes the folders above a file, for their owner alone.
    private static func createFolders(of path: String) throws(Failure) {
        for (index, character) in path.utf8.enumerated() where character == UInt8(ascii: "/") && index > 0 {
            let folder = String(decoding: path.utf8.prefix(index), as: UTF8.self)
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw .cannotCreate(path: path, reason: reason(errno))
            }
        }
    }

    private static func reason(_ code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
