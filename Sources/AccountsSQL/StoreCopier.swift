public import Accounts

/// Why a store was not copied, or not to the end.
public enum StoreCopyError: Error, Equatable, Sendable {
    /// The store that is copied can't be read.
    case source(RepositoryError)
    /// The other one can't be written; with the table where it is the rows of one that it does not take.
    case target(RepositoryError, table: String?)
    /// There is something already in what was to be filled, and nothing is overwritten.
    case targetInUse
    /// What is there is the beginning of a copy of another store, or of this one as it was before it was used again.
    case otherSource
    /// The rows of a table are not what they are in the store that was copied.
    case different(table: String)
}

public enum StoreCopyProgress: Sendable {
    case copied(_ done: Int, of: Int)
    case checked(_ done: Int, of: Int)
}

public struct StoreCopyOutcome: Equatable, Sendable {
    public let users: Int
    public let rows: Int
    /// How many rows a run before this one had copied.
    public let alreadyThere: Int
}

/// Copies all of a store into an empty one, of the same engine or another. Nobody may use either meanwhile.
///
/// Sealed values are copied as they are: what they are bound to, table, column and number, is the same everywhere.
///
/// It can be cut off at any moment, and run again. Tables are copied in a fixed order and rows in the order of their
/// keys, each page in one transaction: so what is there of a table is always its beginning, and tells by its last key
/// where to go on. The source is read from the start all the same, for the sums by which every table is compared at the
/// end.
public struct StoreCopier: Sendable {
    private let source: any SQLStore
    private let target: any SQLStore
    private let now: Int64
    private let pageSize: Int
    private let progress: @Sendable (StoreCopyProgress) -> Void
    /// Of the source; the target has them too.
    private let tables: StoreTables

    /// - Parameters:
    ///   - target: opened to be filled.
    ///   - now: seconds since 1970; used codes that have expired by then are left.
    ///   - pageSize: how many rows are read at once, and are written in one transaction.
    public init(
        from source: any SQLStore, to target: any SQLStore, now: Int64, pageSize: Int = 512,
        progress: @escaping @Sendable (StoreCopyProgress) -> Void = { _ in }
    ) {
        (self.source, self.target, self.now, self.progress) = (source, target, now, progress)
        self.pageSize = pageSize
        tables = source.tables
    }

    public func run() async throws(StoreCopyError) -> StoreCopyOutcome {
        let head = try await inSource { [tables] connection throws(RepositoryError) in
            try CopiedHead(connection, tables)
        }
        try await begin(head)
        let total = try await inSource { [tables] connection throws(RepositoryError) in
            var total = 0
            for table in tables.all { total += try table.count(connection) }
            return total
        }
        var tally = Tally(total: total)
        var sums: [TableSum] = []
        for table in tables.all { sums.append(try await copy(table, &tally)) }
        try await check(head, sums)
        let users = zip(tables.all, sums).first { $0.0.name == Table.users.name }?.1.rows ?? 0
        try await finish(users: users)
        return StoreCopyOutcome(users: users, rows: tally.done, alreadyThere: tally.alreadyThere)
    }

    /// Marks an empty store as being filled, or finds that it is this very copy that had begun.
    private func begin(_ head: CopiedHead) async throws(StoreCopyError) {
        enum Finding { case begun, isInUse, isOfAnother }
        let finding = try await inTarget { [tables] connection throws(RepositoryError) -> Finding in
            let present = try CopiedHead(connection, tables)
            if try CopyMark.isThere(connection) { return present.proof == head.proof ? .begun : .isOfAnother }
            guard present.isEmpty else { return .isInUse }
            for table in tables.all where try !table.isEmpty(connection) { return .isInUse }
            try CopyMark.set(connection)
            try head.write(connection)
            return .begun
        }
        switch finding {
        case .begun: return
        case .isInUse: throw .targetInUse
        case .isOfAnother: throw .otherSource
        }
    }

    /// - Returns: what the rows of the source come to.
    private func copy(_ table: StoredTable, _ tally: inout Tally) async throws(StoreCopyError) -> TableSum {
        let reached = try await inTarget(table) { connection throws(RepositoryError) in
            try table.lastKey(connection)
        }
        var sum = TableSum()
        var place = table.start(now: now)
        while true {
            let page = try await inSource { [place, pageSize] connection throws(RepositoryError) in
                try table.rows(connection, after: place, limit: pageSize)
            }
            for row in page { sum.add(row) }
            let missing = page.drop { row in reached.map { !$0.lexicographicallyPrecedes(table.key(of: row)) } ?? false
            }
            if !missing.isEmpty {
                try await inTarget(table) { connection throws(RepositoryError) in
                    try table.insert(missing, connection)
                }
            }
            tally.add(page.count, alreadyThere: page.count - missing.count)
            progress(.copied(tally.done, of: max(tally.done, tally.total)))
            guard page.count == pageSize, let last = page.last else { return sum }
            place = table.key(of: last)
        }
    }

    /// Reads all of the target, and compares.
    private func check(_ head: CopiedHead, _ sums: [TableSum]) async throws(StoreCopyError) {
        let total = sums.reduce(0) { $0 + $1.rows }
        var done = 0
        for (table, expected) in zip(tables.all, sums) {
            var sum = TableSum()
            var place = table.start(now: now)
            while true {
                let page = try await inTarget(reading: table) { [place, pageSize] connection throws(RepositoryError) in
                    try table.rows(connection, after: place, limit: pageSize)
                }
                for row in page { sum.add(row) }
                done += page.count
                progress(.checked(done, of: max(done, total)))
                guard page.count == pageSize, let last = page.last else { break }
                place = table.key(of: last)
            }
            guard sum == expected else { throw .different(table: table.name) }
        }
        let present = try await inTarget { [tables] connection throws(RepositoryError) in
            try CopiedHead(connection, tables)
        }
        guard present == head else { throw .different(table: "meta") }
    }

    /// Has numbers go on behind all that were ever given, also to what is gone, and lets the store be served.
    private func finish(users: Int) async throws(StoreCopyError) {
        let numbers = try await inSource { [tables] connection throws(RepositoryError) in
            try CopiedNumbers(connection, tables)
        }
        try await inTarget { connection throws(RepositoryError) in
            try numbers.pass(connection, users: users)
            try CopyMark.clear(connection)
        }
    }
}

extension StoreCopier {
    private func inSource<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(StoreCopyError) -> Value {
        do throws(RepositoryError) { return try await source.read(body) } catch { throw .source(error) }
    }

    private func inTarget<Value: Sendable>(
        _ table: StoredTable? = nil, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(StoreCopyError) -> Value {
        do throws(RepositoryError) { return try await target.write(body) } catch {
            throw .target(error, table: table?.name)
        }
    }

    private func inTarget<Value: Sendable>(
        reading table: StoredTable, _ body: @escaping @Sendable (any StoreConnection) throws(RepositoryError) -> Value
    ) async throws(StoreCopyError) -> Value {
        do throws(RepositoryError) { return try await target.read(body) } catch {
            throw .target(error, table: table.name)
        }
    }
}

private struct Tally {
    let total: Int
    var done = 0
    var alreadyThere = 0

    mutating func add(_ rows: Int, alreadyThere: Int) {
        done += rows
        self.alreadyThere += alreadyThere
    }
}
