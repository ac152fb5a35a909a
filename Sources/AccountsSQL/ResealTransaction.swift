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
    /// What stands for an area when there is none left.
    private static let done = Int64(SealedArea.allCases.count)

    let connection: any Connection
    let sealer: StoreSealer
    let limit: Int

    static func isDue(_ connection: any Connection) throws(RepositoryError) -> Bool {
        try connection.first(due, done) { $0.integer(0) != 0 } ?? false
    }

    /// - Returns: how many values it looked at.
    func run() throws(RepositoryError) -> Int {
        let target = try connection.first(Self.newest) { $0.integer(0) } ?? 0
        guard try sealer.current.newestKey == target else { throw .wrongMasterKey }
        guard try Self.isDue(connection) else { return 0 }
        try connection.run(Self.forget, target)
        var place =
            try connection.first(Self.find, target) { row -> (SealedArea, SealedPosition)? in
                SealedArea(rawValue: row.integer(0)).map { ($0, SealedValues.position($0, row, 1)) }
            } ?? (SealedArea.users, SealedArea.users.start)
        var looked = 0
        while let (area, position) = place, looked < limit {
            let last = try step(area, after: position, target: target, looked: &looked)
            place = last.map { (area, $0) } ?? area.next.map { ($0, $0.start) }
        }
        let reached = place.map { ($0.rawValue, $1) } ?? (Self.done, .row(0))
        try ResealPlace(target: target, area: reached.0, position: reached.1).save(connection)
        return looked
    }

    /// - Returns: the last value looked at; nil when the area is through.
    private func step(
        _ area: SealedArea, after position: SealedPosition, target: Int64, looked: inout Int
    ) throws(RepositoryError) -> SealedPosition? {
        let values = SealedValues(connection: connection)
        let page = try values.page(area, after: position, limit: limit - looked)
        looked += page.count
        for value in page where try sealer.current.keyNumber(of: value.sealed) != target {
            guard let plaintext = try opened(value) else { continue }
            try values.replace(area, at: value.position, with: try sealer.sealing(plaintext, value.context))
        }
        return page.last?.position
    }

    private func opened(_ value: SealedValues.Value) throws(RepositoryError) -> [UInt8]? {
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
    /// What stands for the area, or for its being through all of them.
    let area: Int64
    let position: SealedPosition

    static func all(_ connection: any Connection) throws(RepositoryError) -> [ResealPlace] {
        try connection.all(find) { row in
            let area = row.integer(1)
            let position = SealedArea(rawValue: area).map { SealedValues.position($0, row, 2) }
            return ResealPlace(target: row.integer(0), area: area, position: position ?? .row(row.integer(2)))
        }
    }

    func save(_ connection: any Connection) throws(RepositoryError) {
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
        let isDue = try await read { connection throws(RepositoryError) in
            try ResealTransaction.isDue(connection)
        }
        guard isDue else { return 0 }
        return try await write { [sealer] connection throws(RepositoryError) in
            try ResealTransaction(connection: connection, sealer: sealer, limit: max(1, limit)).run()
        }
    }
}
