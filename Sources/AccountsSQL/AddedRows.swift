public import Accounts

/// The rows of the tables that were added to a store, by statements that are made of the tables.
struct AddedRows: TableRows {
    let connection: any StoreConnection
    let sealer: StoreSealer
    let tables: StoreTables
    /// Seconds since 1970; nil where nothing is changed.
    let now: Int64?

    func find(_ key: Cell, in table: Table, now: Int64) throws(RepositoryError) -> [Cell]? {
        let statements = try statements(of: table)
        let row = try connection.first(statements.find, key) { row throws(RepositoryError) in
            try cells(row, of: table)
        }
        guard let row else { return nil }
        if let expiry = table.columns.firstIndex(where: { $0.name == table.expiry }),
            case .integer(let time) = row[expiry], time <= now
        {
            return nil
        }
        return row
    }

    /// What each table has of a user, but for what is secret.
    func all(of user: UserID) throws(RepositoryError) -> [OwnedRows] {
        var all: [OwnedRows] = []
        for added in tables.added {
            guard let query = added.ofUser else { continue }
            let table = added.table
            let rows = try connection.all(query, user) { row throws(RepositoryError) in
                try zip(table.columns, cells(row, of: table)).filter { !$0.0.isSecret }.map(\.1)
            }
            if rows.isEmpty { continue }
            all.append(OwnedRows(table: table.name, columns: table.columns.filter { !$0.isSecret }, rows: rows))
        }
        return all
    }

    func hasRows(of table: Table, before time: Int64) throws(RepositoryError) -> Bool {
        guard let query = try statements(of: table).hasOlder else { throw .unavailable(.corrupt) }
        return try connection.first(query, time) { _ in true } ?? false
    }

    func insert(_ row: [Cell], into table: Table) throws(RepositoryError) -> Bool {
        try run(try statements(of: table).insert, try sealed(row, of: table))
    }

    func replace(_ row: [Cell], in table: Table) throws(RepositoryError) -> Bool {
        try run(try statements(of: table).replace, try sealed(row, of: table))
    }

    func delete(_ key: Cell, from table: Table) throws(RepositoryError) -> Bool {
        try run(try statements(of: table).delete, [key])
    }

    func deleteRows(of table: Table, before time: Int64, limit: Int) throws(RepositoryError) -> Int {
        guard let query = try statements(of: table).deleteOlder else { throw .unavailable(.corrupt) }
        try connection.run(query, time, Int64(limit))
        return connection.changes
    }

    func note(_ kind: AuditEvent.Kind, of user: UserID?) throws(RepositoryError) {
        guard let now else { throw .unavailable(.readOnly) }
        try AuditTrail(connection: connection, now: now).add(kind, user: user)
    }

    private func run(_ query: Query, _ cells: [Cell]) throws(RepositoryError) -> Bool {
        try connection.run(query) { statement throws(RepositoryError) in
            for (index, cell) in cells.enumerated() { try cell.bind(to: statement, at: Int32(index + 1)) }
        }
        return connection.changes == 1
    }

    private func statements(of table: Table) throws(RepositoryError) -> AddedTable {
        guard let added = tables.added.first(where: { $0.table.name == table.name }),
            added.table.columns.map(\.name) == table.columns.map(\.name)
        else { throw .unavailable(.corrupt) }
        return added
    }

    private func sealed(_ row: [Cell], of table: Table) throws(RepositoryError) -> [Cell] {
        guard row.count == table.columns.count, let key = row.first else { throw .unavailable(.corrupt) }
        var cells: [Cell] = []
        for (cell, column) in zip(row, table.columns) {
            guard cell.fits(column) else { throw .unavailable(.corrupt) }
            if column.seal != nil, case .bytes(let plain) = cell {
                cells.append(.bytes(try sealer.sealing(plain, try context(column, key, table))))
            } else {
                cells.append(cell)
            }
        }
        return cells
    }

    private func cells(_ row: any Statement, of table: Table) throws(RepositoryError) -> [Cell] {
        var cells: [Cell] = []
        for (index, column) in table.columns.enumerated() {
            // The key is the first.
            let key = cells.first ?? .none
            cells.append(try cell(row, Int32(index), column, key, table))
        }
        return cells
    }

    private func cell(
        _ row: any Statement, _ index: Int32, _ column: Table.Column, _ key: Cell, _ table: Table
    ) throws(RepositoryError) -> Cell {
        if row.isNull(index) { return .none }
        switch column.kind {
        case .integer: return .integer(row.integer(index))
        case .text: return .text(row.text(index))
        case .bytes where column.seal != nil:
            return .bytes(try sealer.opening(row.blob(index), try context(column, key, table), connection))
        case .bytes: return .bytes(row.blob(index))
        }
    }

    private func context(
        _ column: Table.Column, _ key: Cell, _ table: Table
    ) throws(RepositoryError) -> SealContext {
        guard let place = tables.sealed.first(where: { $0.table == table.name && $0.name == column.name }),
            let position = SealedPosition(key)
        else { throw .unavailable(.corrupt) }
        return place.context(position, label: "")
    }
}

extension Cell: Bindable {
    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case .none: try statement.bindNull(at: index)
        case .integer(let number): try statement.bindInteger(number, at: index)
        case .text(let text): try statement.bindText(text, at: index)
        case .bytes(let bytes): try bytes.bind(to: statement, at: index)
        }
    }

    fileprivate func fits(_ column: Table.Column) -> Bool {
        switch (self, column.kind) {
        case (.none, _): column.isOptional
        case (.integer, .integer), (.text, .text), (.bytes, .bytes): true
        default: false
        }
    }
}

extension SealedPosition {
    fileprivate init?(_ key: Cell) {
        switch key {
        case .none: return nil
        case .integer(let number): self = .row(number)
        case .text(let name): self = .name(name)
        case .bytes(let bytes): self = .hash(bytes)
        }
    }
}

extension SQLStore {
    public func changeRows<Value: Sendable>(
        now: Int64, _ body: @escaping @Sendable (any TableRows) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await write { [sealer, tables] connection throws(RepositoryError) in
            try body(AddedRows(connection: connection, sealer: sealer, tables: tables, now: now))
        }
    }

    public func readRows<Value: Sendable>(
        _ body: @escaping @Sendable (any ReadableRows) throws(RepositoryError) -> Value
    ) async throws(RepositoryError) -> Value {
        try await read { [sealer, tables] connection throws(RepositoryError) in
            try body(AddedRows(connection: connection, sealer: sealer, tables: tables, now: nil))
        }
    }
}
