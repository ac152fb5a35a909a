internal import AccountsPostgres
internal import AccountsSQLite
internal import System

/// The version of this build, as `--version` and the start of the log tell it. What it promises is in
/// Documentation/Releases.md.
package enum Version {
    package static let text = "1.0.0-rc.1"

    /// With what it was built from, where that is known, and which stores it takes without a change.
    package static var full: String {
        let name = Build.revision == "unknown" ? text : "\(text) (\(Build.revision))"
        return "\(name)\nstore schemas: SQLite \(SQLiteAccounts.schema), PostgreSQL \(PostgresAccounts.schema)"
    }
}
