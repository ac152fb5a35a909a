import Accounts
import AccountsSQL
import AccountsSQLite
import Composition
import Crypto
import Glibc
import Sealing
import Settings
import SignIn
internal import System
import Wings

/// Puts the store under another master key, or finishes what was interrupted in doing so.
///
/// One transaction decides: before it the old master key opens the store, after it the new one, whose file is whole and
/// on disk by then. What is left after it, sealing everything anew and erasing the older data keys, can be repeated.
struct MasterKeyChanger {
    /// Why nothing was changed, beside what keeps a store from opening.
    enum ChangeError: Error, CustomStringConvertible {
        case sameKey(path: String)
        case serverRuns(database: String)
        case neitherKey(database: String)
        /// Somebody has rotated the data key meanwhile.
        case interrupted

        var description: String {
            switch self {
            case .sameKey(let path): "\(path) holds the master key that is in use already; nothing was changed"
            case .serverRuns(let database): "a server has the database \(database) open; stop it first"
            case .neitherKey(let database):
                "neither the configured master key nor the new one opens the database \(database)"
            case .interrupted: "another command has made a data key meanwhile; run this one again"
            }
        }
    }

    /// What was done.
    struct Outcome {
        /// Whether the store was under the new master key before.
        var isResumed = false
        /// How many sessions have ended; nil when the old key has not leaked.
        var endedSessions: Int?
        var valuesLookedThrough = 0
    }

    private static let valuesPerStep = 1000

    let storage: Settings.Storage
    let newKeyFile: String
    let isLeaked: Bool
    let clock: Clock

    func run() async throws -> Outcome {
        guard case .file(let path) = storage.url else { throw StartError.onlyFiles }
        let opened = try await open(path)
        do {
            let outcome = try await change(opened, path)
            await opened.store.close()
            return outcome
        } catch {
            await opened.store.close()
            throw error
        }
    }

    /// The store, which no server can open meanwhile.
    private struct Opened {
        let store: SQLiteAccounts
        /// What opened it.
        let key: SymmetricKey
        let isUnderNewKey: Bool
        /// Whether the new key's file is the configured one, or holds the same.
        let isConfigured: Bool
    }

    private func open(_ path: String) async throws -> Opened {
        guard FileNames.exists(path) else { throw StartError.storage(place: path, .notOpened(.noStore)) }
        let hasNewKey = FileNames.exists(newKeyFile)
        let old: SymmetricKey
        let new: SymmetricKey?
        do throws(MasterKey.ReadError) {
            old = try MasterKey.load(path: storage.masterKeyFile ?? path + ".key", madeWith: nil)
            new = hasNewKey ? try MasterKey.load(path: newKeyFile, madeWith: nil) : nil
        } catch {
            throw StartError.masterKey(error)
        }
        if let store = try await open(path, old, as: .insteadOfServer) {
            return Opened(store: store, key: old, isUnderNewKey: old == new, isConfigured: old == new)
        }
        guard let new, let store = try await open(path, new, as: .insteadOfServer) else {
            throw ChangeError.neitherKey(database: path)
        }
        return Opened(store: store, key: new, isUnderNewKey: true, isConfigured: false)
    }

    /// - Returns: nil when the key does not open it.
    private func open(
        _ path: String, _ key: SymmetricKey, as access: SQLiteSettings.Access
    ) async throws -> SQLiteAccounts? {
        let tables = try StoreTables(of: Wing.all)
        do throws(RepositoryError) {
            return try await SQLiteAccounts.open(
                SQLiteSettings(path: path, access: access, tables: tables), now: clock.seconds,
                unlockKeyRing: KeyRing.unlocker(masterKey: key, now: clock.seconds))
        } catch {
            switch error {
            case .wrongMasterKey: return nil
            case .notOpened(.inUse): throw ChangeError.serverRuns(database: path)
            default: throw StartError.storage(place: path, error)
            }
        }
    }

    private func change(_ opened: Opened, _ path: String) async throws -> Outcome {
        if opened.isUnderNewKey { return try await resume(opened) }
        let new: SymmetricKey
        do throws(MasterKey.ReadError) {
            new = try MasterKey.loadOrMake(path: newKeyFile)
        } catch {
            throw StartError.masterKey(error)
        }
        let now = clock.seconds
        let replacements =
            isLeaked ? try await SessionKeys.replacements(forThoseIn: opened.store, now: now) : nil
        let ended = try await opened.store.changeMasterKey(
            MasterKeyChange(
                rewrap: KeyRing.rewrapper(from: opened.key, to: new),
                makeDataKey: KeyRing.maker(masterKey: new, now: now),
                unlock: KeyRing.unlocker(masterKey: new, now: now), replacements: replacements, now: now))
        var outcome = Outcome(endedSessions: isLeaked ? ended : nil)
        // The first one stays open, for it keeps every server out.
        guard let renewed = try await open(path, new, as: .besideServer) else {
            throw ChangeError.neitherKey(database: path)
        }
        do {
            outcome.valuesLookedThrough = try await finish(renewed, keepingLogOf: opened.store)
        } catch {
            await renewed.close()
            throw error
        }
        await renewed.close()
        return outcome
    }

    /// The store is under the new master key, by a change that was interrupted, or that is over.
    private func resume(_ opened: Opened) async throws -> Outcome {
        let store = opened.store
        let unfinished = try await store.unfinishedMasterKeyChange()
        guard unfinished != nil || !opened.isConfigured else { throw ChangeError.sameKey(path: newKeyFile) }
        var outcome = Outcome(isResumed: true)
        if isLeaked, unfinished != .leaked {
            let now = clock.seconds
            outcome.endedSessions = try await store.replaceLeaked(
                with: try await SessionKeys.replacements(forThoseIn: store, now: now), now: now)
        }
        outcome.valuesLookedThrough = try await finish(store, keepingLogOf: store)
        return outcome
    }

    /// - Parameter holder: has the server lock, and so is the one that copies the log back while the store is walked.
    /// - Returns: how many values were looked through.
    private func finish(_ store: SQLiteAccounts, keepingLogOf holder: SQLiteAccounts) async throws -> Int {
        let looked = try await StoreWalk(what: "sealed values looked through", pause: .zero) {
            try await holder.tidyLog(now: clock.seconds)
            return try await store.reseal(limit: Self.valuesPerStep)
        }.run()
        _ = try await StoreWalk(what: "users' addresses and numbers hashed anew", pause: .zero) {
            try await holder.tidyLog(now: clock.seconds)
            return try await store.indexContacts(limit: Self.valuesPerStep)
        }.run()
        guard try await store.finishMasterKeyChange() else { throw ChangeError.interrupted }
        return looked
    }
}
