package import Accounts
import Synchronization

/// What seals and opens the values of one open store: its key ring, replaced when the stored one changes.
///
/// Another process may add a data key and seal under it at any moment. Whatever is sealed inside a write transaction is
/// sealed under the newest stored key, since the writer looks here when somebody else has written (``Writer``). A value
/// under a key that is not known yet makes the ring be read again, from the snapshot that has the value.
public final class StoreSealer: Sendable {
    private struct Ring {
        var sealer: any Sealer
        var entries: [KeyRingEntry]
    }

    private let ring = Mutex<Ring?>(nil)
    /// The keys of the index of addresses and numbers, by number: each is opened once.
    private let contactKeys = Mutex<[Int64: [UInt8]]>([:])
    private let subjectKey = Mutex<[UInt8]?>(nil)
    private let unlock: KeyRingUnlocker

    package init(_ unlock: @escaping KeyRingUnlocker) {
        self.unlock = unlock
    }

    /// Opens a key ring without using it yet.
    package func unlocked(_ entries: [KeyRingEntry]) throws(SealingError) -> UnlockedKeyRing {
        try unlock(entries)
    }

    /// Seals and opens with this from now on, unless what is in use has newer keys: a reader may come late with what it
    /// has read.
    package func use(_ sealer: any Sealer, of entries: [KeyRingEntry]) {
        ring.withLock { ring in
            if let ring, ring.sealer.newestKey > sealer.newestKey { return }
            ring = Ring(sealer: sealer, entries: entries)
        }
    }

    /// Seals and opens nothing any more.
    package func forget() {
        ring.withLock { $0 = nil }
        contactKeys.withLock { $0 = [:] }
        subjectKey.withLock { $0 = nil }
    }

    /// Takes over the stored key ring where it differs from the one in use.
    ///
    /// - Returns: whether it did.
    /// - Throws: `.wrongMasterKey` when this process's master key does not open it; nothing has changed then.
    package func reload(_ connection: any StoreConnection) throws(RepositoryError) -> Bool {
        // Before the store is open there is nothing to compare with, and perhaps no table.
        guard let known = ring.withLock({ $0?.entries }) else { return false }
        let entries = try KeyRingRows(connection: connection).all()
        guard known != entries else { return false }
        do throws(SealingError) { use(try unlock(entries).sealer, of: entries) } catch { throw .wrongMasterKey }
        return true
    }

    /// The same for who only reads, and need not fail for a master key that was changed: the keys known so far go on
    /// opening what they opened.
    private func refresh(_ connection: any StoreConnection) throws(RepositoryError) -> Bool {
        do throws(RepositoryError) { return try reload(connection) } catch .wrongMasterKey { return false }
    }

    /// The sealer of this moment.
    package var current: any Sealer {
        get throws(RepositoryError) {
            guard let sealer = ring.withLock({ $0?.sealer }) else { throw .unavailable(.closed) }
            return sealer
        }
    }

    package func sealing(_ plaintext: [UInt8], _ context: SealContext) throws(RepositoryError) -> [UInt8] {
        let sealer = try current
        do throws(SealingError) {
            return try sealer.seal(plaintext, for: context)
        } catch {
            throw .unavailable(.brokenSeal)
        }
    }

    /// - Parameter connection: where the value was read, and where its key is if this process does not have it yet.
    package func opening(
        _ sealed: [UInt8], _ context: SealContext, _ connection: any StoreConnection
    ) throws(RepositoryError) -> [UInt8] {
        let sealer = try current
        do throws(SealingError) {
            return try sealer.open(sealed, for: context)
        } catch .unknownKey {
            guard try refresh(connection) else { throw .unavailable(.brokenSeal) }
        } catch {
            throw .unavailable(.brokenSeal)
        }
        let renewed = try current
        do throws(SealingError) {
            return try renewed.open(sealed, for: context)
        } catch {
            throw .unavailable(.brokenSeal)
        }
    }

    /// A key of the index of addresses and numbers. The number names it for good.
    package func contactKey(_ number: Int64, _ sealed: [UInt8], _ connection: any StoreConnection)
        throws(RepositoryError)
        -> [UInt8]
    {
        if let known = contactKeys.withLock({ $0[number] }) { return known }
        let key = try opening(sealed, .secretKey(number, .contact), connection)
        contactKeys.withLock { $0[number] = key }
        return key
    }

    /// The key that subjects are hashed under, which is found once.
    func keptSubjectKey(_ find: () throws(RepositoryError) -> [UInt8]) throws(RepositoryError) -> [UInt8] {
        if let known = subjectKey.withLock({ $0 }) { return known }
        let key = try find()
        subjectKey.withLock { $0 = key }
        return key
    }

    /// The newest key of the index that was opened so far; nil before the first.
    package var newestContactKey: ContactRows.Key? {
        contactKeys.withLock { keys in
            keys.max { $0.key < $1.key }.map { ContactRows.Key(number: $0.key, bytes: $0.value) }
        }
    }

    package func sealing(_ profile: Profile, _ context: SealContext) throws(RepositoryError) -> [UInt8] {
        try sealing(profile.encoded, context)
    }

    package func profile(
        _ sealed: [UInt8], _ context: SealContext, _ connection: any StoreConnection
    ) throws(RepositoryError) -> Profile {
        let encoded = try opening(sealed, context, connection)
        do throws(EncodedContentError) { return try Profile(encoded: encoded) } catch { throw .unavailable(.corrupt) }
    }
}

extension StoreSealer {
    package func keptTokens(
        _ sealed: [UInt8], _ context: SealContext, _ connection: any StoreConnection
    ) throws(RepositoryError) -> KeptTokens {
        let encoded = try opening(sealed, context, connection)
        do throws(EncodedContentError) { return try KeptTokens(encoded: encoded) } catch {
            throw .unavailable(.corrupt)
        }
    }
}
