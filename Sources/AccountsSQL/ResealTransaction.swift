public import Accounts

/// One step of the walk that seals everything under the newest data key.
///
/// Where it has come to is stored with every step, so it survives restarts, and two processes walk it together. Each
/// step is a write transaction, so no other change of a value comes between its opening and its sealing; and what is
/// written behind the walk is sealed under the newest key already (``StoreSealer``).
struct ResealTransaction {
    private static let due = Query(
        """
        SELECT (SELECT count(*) FROM key_ring) > 1
            AND NOT EXISTS (SELECT 1 FROM reseal WHERE target = (SELECT max(number) FROM key_ring) AND area = ?)
        """)
    private static let find = Query("SELECT area, position FROM reseal WHERE target = ?")
    private static let forget = Query("DELETE FROM reseal WHERE target <> ?")
    private static let newest = Query("SELECT max(number) FROM key_ring")

    let connection: any StoreConnection
    let sealer: StoreSealer
    let tables: StoreTables
    let limit: Int

    static func isDue(_ connection: any StoreConnection, _ tables: StoreTables) throws(RepositoryError) -> Bool {
        try connection.first(due, tables.sealedEnd) { $0.integer(0) != 0 } ?? false
    }

    /// - Returns: how many values it looked at.
    func run() throws(RepositoryError) -> Int {
        let target = try connection.first(Self.newest) { $0.integer(0) } ?? 0
        guard try sealer.current.newestKey == target else { throw .wrongMasterKey }
        guard try Self.isDue(connection, tables) else { return 0 }
        try connection.run(Self.forget, target)
        // Where it stands at what this store does not have, it begins anew.
        let reachedBefore = try connection.first(Self.find, target) { row in
            tables.sealed(row.integer(0)).map { ($0, $0.position(row, 1)) }
        }
        var place = (reachedBefore ?? nil) ?? tables.sealed.first.map { ($0, $0.start) }
        var looked = 0
        while let (column, position) = place, looked < limit {
            let last = try step(column, after: position, target: target, looked: &looked)
            place = last.map { (column, $0) } ?? tables.sealed(behind: column).map { ($0, $0.start) }
        }
        let reached = place.map { ($0.number, $1) } ?? (tables.sealedEnd, .row(0))
        try ResealPlace(target: target, area: reached.0, position: reached.1).save(connection)
        return looked
    }

    /// - Returns: the last value looked at; nil when the column is through.
    private func step(
        _ column: SealedColumn, after position: SealedPosition, target: Int64, looked: inout Int
    ) throws(RepositoryError) -> SealedPosition? {
        let page = try column.page(connection, after: position, limit: limit - looked)
        looked += page.count
        for value in page where try sealer.current.keyNumber(of: value.sealed) != target {
            guard let plaintext = try opened(value) else { continue }
            try column.replace(
                at: value.position, with: try sealer.sealing(plaintext, value.context), connection)
        }
        return page.last?.position
    }

    private func opened(_ value: SealedColumn.Value) throws(RepositoryError) -> [UInt8]? {
        do throws(RepositoryError) {
            return try sealer.opening(value.sealed, value.context, connection)
        } catch .unavailable(.brokenSeal) {
            return nil
        }
    }
}

/// Where the walk to a data key has come to.
struct ResealPlace: Equatable, Sendable {
    private static let find = Query("SELECT target, area, position FROM reseal ORDER BY target")
    // SQLite keeps a value of any type; PostgreSQL the bytes of one.
    private static let saveRow = save(postgres: "int8send(?3)")
    private static let saveHash = save(postgres: "?3")
    private static let saveName = save(postgres: "convert_to(?3, 'UTF8')")

    /// The number of the key.
    let target: Int64
    /// What stands for the column, or for its being through all of them.
    let area: Int64
    let position: SealedPosition

    static func all(_ connection: any StoreConnection, _ tables: StoreTables) throws(RepositoryError) -> [ResealPlace] {
        try connection.all(find) { row in
            let area = row.integer(1)
            let position = tables.sealed(area).map { $0.position(row, 2) }
            return ResealPlace(target: row.integer(0), area: area, position: position ?? .row(row.integer(2)))
        }
    }

    func save(_ connection: any StoreConnection) throws(RepositoryError) {
        let query =
            switch position {
            case .row: Self.saveRow
            case .hash: Self.saveHash
            case .name: Self.saveName
            }
        try connection.run(query, target, area, position)
    }

    private static func save(postgres bytes: String) -> Query {
        let head = "INSERT INTO reseal (target, area, position) VALUES (?1, ?2, "
        let tail = ") ON CONFLICT (target) DO UPDATE SET area = excluded.area, position = excluded.position"
        return Query(head + "?3" + tail, postgres: head + bytes + tail)
    }
}

extension SQLStore {
    public func reseal(limit: Int) async throws(RepositoryError) -> Int {
        let isDue = try await read { [tables] connection throws(RepositoryError) in
            try ResealTransaction.isDue(connection, tables)
        }
        guard isDue else { return 0 }
        return try await write { [sealer, tables] connection throws(RepositoryError) in
            try ResealTransaction(connection: connection, sealer: sealer, tables: tables, limit: max(1, limit)).run()
        }
    }
}
