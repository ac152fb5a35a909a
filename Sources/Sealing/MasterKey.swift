public import Crypto
internal import Glibc
import Syntax
internal import System

/// The master key's file: 256 random bits as base64url, readable by its owner alone.
public enum MasterKey {
    /// Why there is no master key.
    public enum ReadError: Error, Equatable, Sendable, CustomStringConvertible {
        case cannotRead(path: String, reason: String)
        /// The store is there, and its key is not.
        case lost(path: String, store: String)
        case cannotCreate(path: String, reason: String)
        /// The file holds something else than a key.
        case notAKey(path: String)

        public var description: String {
            switch self {
            case .cannotRead(let path, let reason): "the master key file \(path) can't be read: \(reason)"
            case .lost(let path, let store):
                """
                the master key file \(path) is missing, and \(store) can be opened with it alone: put it back from where it was \
                kept, or name its place in storage.masterKeyFile. A store without its key is lost: moved away, it gives way to \
                a new one
                """
            case .cannotCreate(let path, let reason): "the master key file \(path) can't be made: \(reason)"
            case .notAKey(let path): "the master key file \(path) does not hold 32 bytes in base64url"
            }
        }
    }

    private static let maximumFileBytes = 4096
    /// The SHA-256 of the key that comes with the examples, for trying a shared database.
    private static let exampleHash: [UInt8] = [
        0x23, 0xfa, 0x3b, 0x8f, 0xe2, 0x27, 0x6b, 0x83, 0xbf, 0x58, 0xcb, 0xf9, 0x78, 0xc4, 0x91, 0xee,
        0x73, 0x74, 0xf2, 0x82, 0xfc, 0xc4, 0x2c, 0xe6, 0xb2, 0x58, 0x2e, 0xa3, 0x73, 0x82, 0xc3, 0xeb,
    ]

    /// Whether a key is the one that everybody can read in the project's examples.
    public static func isExample(_ key: SymmetricKey) -> Bool {
        key.secret.withBytes { Digest.sha256.hash($0) == exampleHash }
    }

    /// Whether everybody on this machine can read the file; false where there is none.
    public static func isReadableByOthers(path: String) -> Bool {
        (try? FileStatus(of: path))?.isReadableByOthers ?? false
    }

    /// Reads the key; makes the file, once, when it does not exist and may be made.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - database: the file whose values are sealed. Once it exists, a missing key is an error and not a reason to
    ///     make another, which could open nothing. Nil when the key must exist in any case.
    public static func load(path: String, madeWith database: String?) throws(ReadError) -> SymmetricKey {
        guard let database else { return try read(path) }
        guard FileNames.exists(database) else { return try loadOrMake(path: path) }
        guard FileNames.exists(path) else { throw .lost(path: path, store: database) }
        return try read(path)
    }

    /// Reads the key; makes the file when there is none.
    public static func loadOrMake(path: String) throws(ReadError) -> SymmetricKey {
        do throws(ReadError) {
            return try read(path)
        } catch .cannotRead(_, reason: SystemError(call: "open", code: ENOENT).reason) {
            try create(path)
            return try read(path)
        }
    }

    private static func read(_ path: String) throws(ReadError) -> SymmetricKey {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File(path, O_RDONLY).readAll(limit: maximumFileBytes)
        } catch {
            throw .cannotRead(path: path, reason: error.reason)
        }
        var text = bytes[...]
        while let last = text.last, last == 0x0A || last == 0x0D || last == 0x20 { text.removeLast() }
        guard let key = Base64URL.decode(Array(text).span), key.count == SymmetricKey.byteCount,
            let symmetricKey = try? SymmetricKey(Secret(key))
        else { throw .notAKey(path: path) }
        return symmetricKey
    }

    /// The file gets its name when it is whole and on disk, and only if nobody else has made it: of two servers that
    /// start at once both read one key, and a crash leaves either a key or nothing.
    private static func create(_ path: String) throws(ReadError) {
        let draft = "\(path).\(Random.token(byteCount: 6))"
        do throws(SystemError) {
            try FileNames.makeFolders(of: path)
            let file = try File(draft, O_WRONLY | O_CREAT | O_EXCL)
            defer { try? FileNames.remove(draft) }
            try file.write((Random.token(byteCount: SymmetricKey.byteCount) + "\n").utf8.span)
            try file.sync()
            do throws(SystemError) { try FileNames.link(draft, as: path) } catch {
                guard error.code == EEXIST else { throw error }
            }
            // The name must outlive a power cut too, before the first value is sealed under the key.
            try FileNames.syncFolder(of: path)
        } catch {
            throw .cannotCreate(path: path, reason: error.reason)
        }
    }
}
