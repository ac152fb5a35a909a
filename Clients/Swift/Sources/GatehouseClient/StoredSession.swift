import Foundation

/// A session as it is kept between two launches. Printing or dumping it shows no token.
public struct StoredSession: Sendable, Equatable, Codable {
    /// Whose it is.
    public let user: String
    public let accessToken: String
    /// When the access token ends, by this device's clock.
    public let expiresAt: Date
    public let refreshToken: String
    /// The app that it is of, where that signed in through the browser; nil for who posts codes.
    public let clientID: String?

    /// What the service calls it, in the list of the user's sessions.
    var name: String? { API.claim("sid", of: accessToken) }
}

extension StoredSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "StoredSession(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where an app keeps its session.
///
/// Several processes may share one, such as an app and its extension: each looks again before it refreshes, and takes
/// over what another has stored meanwhile. Where two refresh at the very same moment, the server gives both the same
/// successor.
public protocol SessionStore: Sendable {
    /// - Returns: nil where there is none.
    func load() throws -> StoredSession?
    /// Keeps a session in the place of the one before, wholly or not at all.
    func save(_ session: StoredSession) throws
    func clear() throws
}

/// Keeps a session as long as the process lives.
public final class MemoryStore: SessionStore, @unchecked Sendable {
    // Unchecked: the lock is held whenever the session is touched.
    private let lock = NSLock()
    private var session: StoredSession?

    public init() {}

    public func load() -> StoredSession? { lock.withLock { session } }
    public func save(_ session: StoredSession) { lock.withLock { self.session = session } }
    public func clear() { lock.withLock { session = nil } }
}

/// Keeps a session in a file that nobody but this user may read: for command lines and for tests. On a phone there is
/// the keychain.
public struct FileStore: SessionStore {
    private let file: URL

    public init(_ file: URL) {
        self.file = file
    }

    public func load() throws -> StoredSession? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(StoredSession.self, from: Data(contentsOf: file))
    }

    public func save(_ session: StoredSession) throws {
        // In the same folder, so that taking the other's place is one step; and it is never readable for others.
        let fresh = file.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: fresh.path, contents: try JSONEncoder().encode(session),
                attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        guard rename(fresh.path, file.path) == 0 else {
            try? FileManager.default.removeItem(at: fresh)
            throw CocoaError(.fileWriteUnknown)
        }
    }

    public func clear() throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.removeItem(at: file)
    }
}
