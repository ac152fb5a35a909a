import Accounts
import AccountsSQL
import CSQLite
import Glibc
import System

extension Unavailability {
    /// Names an extended result code of SQLite. The primary code is in its low byte.
    init(resultCode code: Int32) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_READONLY: self = .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
        case SQLITE_CORRUPT: self = .corrupt
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
        case SQLITE_IOERR: self = .inputOutput
        case SQLITE_NOMEM: self = .outOfMemory
        default: self = .engine(code: code)
        }
    }

    /// Whether a connection that met this is still good when the cause goes. One that met anything worse may hold on
    /// to a file that was replaced, or to having found it read-only, so it is opened anew.
    var leavesConnectionUsable: Bool {
        switch self {
        case .diskFull, .locked, .overloaded, .brokenSeal: true
        case .readOnly, .corrupt, .notADatabase, .cannotOpen, .inputOutput, .outOfMemory, .closed, .engine,
            .cannotConnect, .settingsRefused,
            .tooManyConnections, .uncertain, .clock, .behind, .server:
            false
        }
    }
}
