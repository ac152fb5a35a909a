public import Accounts
public import Syntax

/// The sign-ins through the browser that have begun, the oldest with the lowest number.
package struct PendingSignInRows {
    private static let insert = Query(
        """
        INSERT INTO pending_sign_ins (handle, browser, content, expires, narrow, wide, size)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    private static let find = Query(
        "SELECT browser, content, expires, narrow, wide FROM pending_sign_ins WHERE handle = ? AND expires > ?")
    private static let delete = Query("DELETE FROM pending_sign_ins WHERE handle = ? AND expires > ?")

    // The more of its holder's rows are newer than it, the deeper a row lies, and the deepest go first: so the largest
    // holder loses the oldest rows until it is no larger than the next one. Of those who share a /48 the same holds,
    // by /64, for what all of them may have.
    private static let excess = Query(
        """
        SELECT number FROM (
            SELECT number, shared,
                sum(size) OVER (ORDER BY shared, number DESC ROWS UNBOUNDED PRECEDING) AS total,
                row_number() OVER (ORDER BY shared, number DESC) AS place
            FROM (
                SELECT number, size, sum(size) OVER (
                    PARTITION BY wide ORDER BY depth, number DESC ROWS UNBOUNDED PRECEDING) AS shared
                FROM (
                    SELECT number, size, wide, sum(size) OVER (
                        PARTITION BY wide, narrow ORDER BY number DESC ROWS UNBOUNDED PRECEDING) AS depth
                    FROM pending_sign_ins
                ) AS held
            ) AS counted
        ) AS summed
        WHERE shared > ? OR total > ? OR place > ?
        ORDER BY number
        """)
    private static let remove = Query("DELETE FROM pending_sign_ins WHERE number = ?")

    package let connection: any StoreConnection

    package init(connection: any StoreConnection) {
        self.connection = connection
    }

    package func insert(_ pending: PendingSignIn) throws(RepositoryError) {
        try connection.run(
            Self.insert, pending.handle, pending.browser, pending.content, pending.expiresAt, pending.network.narrow,
            pending.network.wide, pending.byteCount)
    }

    package func find(_ handle: TokenHash, now: Int64) throws(RepositoryError) -> PendingSignIn? {
        try connection.first(Self.find, handle, now) { row throws(RepositoryError) in
            PendingSignIn(
                handle: handle, browser: try row.hash(0), content: row.blob(1), expiresAt: row.integer(2),
                network: NetworkHash(narrow: row.integer(3), wide: row.integer(4)))
        }
    }

    /// The numbers of those that are to give way, the oldest first.
    func excess(over bounds: PendingBounds) throws(RepositoryError) -> [Int64] {
        try connection.all(Self.excess, bounds.bytesPerHolder, bounds.bytes, bounds.rows) { $0.integer(0) }
    }

    func remove(_ numbers: some Sequence<Int64>) throws(RepositoryError) {
        for number in numbers { try connection.run(Self.remove, number) }
    }

    /// - Returns: whether it was there.
    package func delete(_ handle: TokenHash, now: Int64) throws(RepositoryError) -> Bool {
        try connection.run(Self.delete, handle, now)
        return connection.changes == 1
    }
}

/// How many rows one transaction takes away that holds up others.
private let pendingRowsPerStep = 128

extension SQLStore {
    public func beginSignIn(
        _ pending: PendingSignIn, instead former: TokenHash?, now: Int64
    ) async throws(RepositoryError) -> Bool {
        try await write { connection throws(RepositoryError) in
            let rows = PendingSignInRows(connection: connection)
            if let former, try !rows.delete(former, now: now) { return false }
            try rows.insert(pending)
            return true
        }
    }

    public func pendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> PendingSignIn? {
        try await read { connection throws(RepositoryError) in
            try PendingSignInRows(connection: connection).find(handle, now: now)
        }
    }

    public func endPendingSignIn(_ handle: TokenHash, now: Int64) async throws(RepositoryError) -> Bool {
        try await write { connection throws(RepositoryError) in
            try PendingSignInRows(connection: connection).delete(handle, now: now)
        }
    }

    public func networkHash(of address: IPAddress) throws(RepositoryError) -> NetworkHash {
        let texts = NetworkHash.texts(of: address)
        func number(_ text: String) throws(RepositoryError) -> Int64 {
            let hash = try knownSecretKeys.strangerHash(of: "network", Array(text.utf8), sealer)
            return hash.prefix(8).reduce(into: 0) { $0 = $0 << 8 | Int64($1) }
        }
        return NetworkHash(narrow: try number(texts.narrow), wide: try number(texts.wide))
    }

    public func boundSignIns(_ bounds: PendingBounds) async throws(RepositoryError) -> Int {
        // Numbers are never given twice, so what has gone in between is gone.
        let numbers = try await readAside { connection throws(RepositoryError) in
            try PendingSignInRows(connection: connection).excess(over: bounds)
        }
        for start in stride(from: 0, to: numbers.count, by: pendingRowsPerStep) {
            try await write { connection throws(RepositoryError) in
                try PendingSignInRows(connection: connection).remove(numbers[start...].prefix(pendingRowsPerStep))
            }
        }
        return numbers.count
    }
}
