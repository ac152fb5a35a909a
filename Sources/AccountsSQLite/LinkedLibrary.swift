import CSQLite

extension SQLiteAccounts {
    /// The version of the SQLite that this process has linked, such as `3.40.1`.
    public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
