public import Accounts
import AccountsSQL

/// Why nothing was restored. But for `.unfinished` nothing has changed.
public enum RestoreError: Error, Equatable, Sendable {
    /// The store that is to be replaced can't be: `.inUse` while somebody has it open, `.unavailable`.
    case store(RepositoryError)
    /// The backup is examined and takes the store's place when that is next opened: so far something is in the way.
    case unfinished(Unavailability)
    /// The backup can't be taken: `.noStore` when it is not there, `.wrongMasterKey`, `.newerSchema`, `.unavailable`.
    case backup(RepositoryError)
    /// It does not hold; each in one sentence.
    case backupDamaged([String])
    /// The backup is the store itself.
    case backupIsStore
    /// There is no ledger at that place.
    case noLedger(path: String)
    /// The ledger can't be read.
    case ledgerUnreadable(path: String, Unavailability)
    /// The backup has no key that the ledger could be proven with, nor has the store that is replaced.
    case noLedgerKey
    /// This record is missing in the ledger, or damaged, or under a key that was replaced since.
    case ledgerIncomplete(record: Int64)
    /// The last line of the ledger, or this and those behind it, may be records that were damaged.
    case ledgerEndsUnproven(line: Int)
}

extension RestoreError: CustomStringConvertible {
    /// What an operator must know, as a sentence.
    public var description: String {
        switch self {
        case .store(.notOpened(.inUse)): "a server or a command has the database open; stop it first"
        case .store(.unavailable(let reason)): "the database can't be replaced: \(reason)"
        case .store(let error): "the database can't be replaced: \(error)"
        case .unfinished(let reason):
            "the backup is in order and takes the place of the database with the next start, for so far it can't: \(reason)"
        case .backup(.notOpened(.noStore)): "the backup is not there, or is empty"
        case .backup(.wrongMasterKey): "the master key does not open the backup; it was sealed under another one"
        case .backup(.notOpened(.newerSchema(let found, let known))):
            "a newer version made the backup (schema \(found); this version knows \(known))"
        case .backup(.unavailable(.diskFull)):
            "the disk is full, so that the backup can't be copied beside the database"
        case .backup(.unavailable(.corrupt)): "the backup is damaged"
        case .backup(.unavailable(let reason)): "the backup can't be used: \(reason)"
        case .backup(let error): "the backup can't be used: \(error)"
        case .backupDamaged(let findings): "the backup does not hold. " + findings.joined(separator: " ")
        case .backupIsStore: "the backup is the database itself; move it elsewhere first"
        case .noLedger(let path):
            """
            there is no ledger \(path), which tells who was erased since the backup was made; --without-ledger does without
            """
        case .ledgerUnreadable(let path, let reason): "the ledger \(path) can't be read: \(reason)"
        case .noLedgerKey:
            "the backup was made before there were ledgers, so it can't prove one; --without-ledger does without"
        case .ledgerIncomplete(let record):
            """
            the ledger lacks record \(record), or it is damaged, or the master key has leaked and was replaced since; put \
            older parts of the ledger before it (cat), or do without it (--without-ledger)
            """
        case .ledgerEndsUnproven(let line):
            "line \(line) of the ledger is not ours, or was one and is damaged; --without-ledger does without the ledger"
        }
    }
}
