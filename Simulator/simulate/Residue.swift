import CSimulation

/// What a server has at one moment: rows, sockets, jobs, memory. Once nobody is a user any more, and all that has a
/// time is over, there must be no more of it than in the beginning.
struct Residue {
    /// What stays by intention: the trail of what was done, what a restore must not undo, keys, and the store's own
    /// words on itself; and for some weeks which sign-ins have failed, and what must not be taken for new.
    private static let kept: Set<String> = [
        "audit", "ledger", "meta", "signing_keys", "secret_keys", "key_ring", "failed_sign_ins", "not_before",
    ]
    /// By how much the process may have grown, the carriers of the world included, in bytes.
    private static let growth = 4 << 20

    private let rows: [String: String]
    private let held: Int
    private let allocated: Int

    init(_ setting: Setting) {
        let path = setting.path("users.db")
        let tables = Self.text(
            path,
            """
            SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            """)
        var rows: [String: String] = [:]
        for table in tables.split(separator: ",").map(String.init) where !Self.kept.contains(table) {
            rows[table] = Self.count(of: table, setting)
        }
        self.rows = rows
        held = Int(simulation_held(setting.machine.owner))
        allocated = Int(simulation_allocated())
    }

    static func count(of table: String, _ setting: Setting) -> String {
        text(setting.path("users.db"), "SELECT count(*) FROM \(table)")
    }

    private static func text(_ path: String, _ query: String) -> String {
        // Safe: the buffer is as large as is told, and what is written there ends with a zero.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            unsafe simulation_sql_text(path, query, start, buffer.count)
            return unsafe String(cString: start)
        }
    }

    /// - Returns: what there is more than before, in words.
    func more(than before: Residue) -> [String] {
        var more: [String] = []
        for (table, count) in rows.sorted(by: { $0.key < $1.key }) where count != before.rows[table] {
            more.append("table \(table) has \(count) rows, and had \(before.rows[table] ?? "none")")
        }
        if held > before.held { more.append("the server has \(held) sockets and jobs, and had \(before.held)") }
        if allocated > before.allocated + Self.growth {
            more.append("there are \(allocated >> 10) KiB, and were \(before.allocated >> 10)")
        }
        return more
    }
}
