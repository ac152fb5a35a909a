import Accounts
import Postgres
import Synchronization

/// What seals and opens the values of one open store: its key ring, replaced when the stored one changes.
///
/// Another instance may add a data key and seal under it at any moment. Whoever seals inside a transaction looks first whether
/// there is a newer key than he knows, for else sealing anew could miss what he writes.
final class StoreSealer: Sendable {
    private struct Ring {
        var sealer: any Sealer
        var entries: [KeyRingEntry]
    }

    private let ring = Mutex<Ring?>(nil)
    /// The keys of the index of addresses and numbers, by number: each is opened once.
    private let contactKeys = Mutex<[Int64: [UInt8]]>([:])
    private let unlock: KeyRingUnlocker

    init(_ unlock: @escaping KeyRingUnlocker) {
        self.unlock = unlock
    }

    /// Opens a key ring without using it yet.
    func unlocked(_ entries: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing { try unlock(entries) }

    /// Seals and opens with this from now on, unless what is in use has newer keys.
    func use(_ sealer: any Sealer, of entries: [KeyRingEntry]) {
        ring.withLock { ring in
            if let ring, ring.sealer.newestKey > sealer.newestKey { return }
            ring = Ring(sealer: sealer, entries: entries)
        }
    }

    /// Seals and opens nothing any more.
    func forget() {
        ring.withLock { $0 = nil }
        contactKeys.withLock { $0 = [:] }
    }

    /// Takes over the stored key ring where it differs from the one in use.
    ///
    /// - Returns: whether it did.
    /// - Throws: `.wrongMasterKey` when this process's master key does not open it; nothing has changed then.
    func adopt(_ entries: [KeyRingEntry]) throws(RepositoryError) -> Bool {
        guard let known = ring.withLock({ $0?.entries }), known != entries else { return false }
        do throws(SealingError) { use(try unlock(entries).sealer, of: entries) } catch { throw .wrongMasterKey }
        return true
    }

    /// The sealer of this moment.
    var current: any Sealer {
        get throws(RepositoryError) {
            guard let sealer = ring.withLock({ $0?.sealer }) else { throw .unavailable(.closed) }
            return sealer
        }
    }

    /// A key of the index of addresses and numbers that was opened before.
    func contactKey(_ number: Int64) -> [UInt8]? { contactKeys.withLock { $0[number] } }

    /// Keeps a key that was opened. The number names it for good.
    func keep(_ key: [UInt8], asContactKey number: Int64) { contactKeys.withLock { $0[number] = key } }
}

extension Work {
    private static let newestKey = Statement("SELECT max(number) FROM key_ring")

    func seal(_ plaintext: [UInt8], _ context: SealContext) async throws(RepositoryError) -> [UInt8] {
        let newest = try await first(Self.newestKey)?.optionalInteger(0)
        if let newest, try store.sealer.current.newestKey < newest { _ = try await adoptKeyRing() }
        let sealer = try store.sealer.current
        do throws(SealingError) {
            return try sealer.seal(plaintext, for: context)
        } catch {
            throw .unavailable(.brokenSeal)
        }
    }

    /// Opens a value that may lie under a key which this process does not have yet.
    func open(_ sealed: [UInt8], _ context: SealContext) async throws(RepositoryError) -> [UInt8] {
        let sealer = try store.sealer.current
        do throws(SealingError) {
            return try sealer.open(sealed, for: context)
        } catch .unknownKey {
            guard try await refreshKeyRing() else { throw .unavailable(.brokenSeal) }
        } catch {
            throw .unavailable(.brokenSeal)
        }
        let renewed = try store.sealer.current
        do throws(SealingError) {
            return try renewed.open(sealed, for: context)
        } catch {
            throw .unavailable(.brokenSeal)
        }
    }

    /// Takes over the stored key ring.
    ///
    /// - Throws: `.wrongMasterKey` when this process's master key does not open it.
    func adoptKeyRing() async throws(RepositoryError) -> Bool {
        try store.sealer.adopt(try await KeyRingRows(work: self).all())
    }

    /// The same for who only reads, and need not fail for a master key that was changed: the keys known so far go on opening
    /// what they opened.
    private func refreshKeyRing() async throws(RepositoryError) -> Bool {
        do throws(RepositoryError) { return try await adoptKeyRing() } catch .wrongMasterKey { return false }
    }

    func seal(_ profile: Profile, of user: UserID) async throws(RepositoryError) -> [UInt8] {
        try await seal(profile.encoded, .profile(of: user))
    }

    func profile(_ sealed: [UInt8], _ context: SealContext) async throws(RepositoryError) -> Profile {
        let encoded = try await open(sealed, context)
        do throws(ContentCodingError) { return try Profile(encoded: encoded) } catch { throw .unavailable(.corrupt) }
    }

    func keptTokens(_ sealed: [UInt8], _ context: SealContext) async throws(RepositoryError) -> KeptTokens {
        let encoded = try await open(sealed, context)
        do throws(ContentCodingError) { return try KeptTokens(encoded: encoded) } catch { throw .unavailable(.corrupt) }
    }
}
