package import Accounts

/// A table that was added to a store: how it is made, and its rows read and written.
package struct AddedTable: Sendable {
    /// What an engine calls the kinds of columns.
    package struct Words: Sendable {
        let integer: String
        let text: String
        let bytes: String
        /// Behind a text that rows are found by, so that it is compared byte by byte.
        let byteOrder: String
        /// Behind the columns.
        let tail: String

        package static let sqlite = Words(
            integer: "INTEGER", text: "TEXT", bytes: "BLOB", byteOrder: "", tail: " STRICT, WITHOUT ROWID")
        package static let postgres = Words(
            integer: "int8", text: "text", bytes: "bytea", byteOrder: " COLLATE \"C\"", tail: "")
    }

    package let table: Table
    let find: Query
    let insert: Query
    let replace: Query
    let delete: Query
    /// Where the table has an age.
    let hasOlder: Query?
    let deleteOlder: Query?
    /// Where its rows go with a user.
    let ofUser: Query?
    /// Where they move when accounts are merged.
    let moving: Query?

    init?(_ table: Table) {
        guard let key = table.key.first?.name else { return nil }
        self.table = table
        let names = table.columns.map(\.name).joined(separator: ", ")
        let places = (1...table.columns.count).map { "?\($0)" }
        find = Query("SELECT \(names) FROM \(table.name) WHERE \(key) = ?")
        insert = Query(
            "INSERT INTO \(table.name) (\(names)) VALUES (\(places.joined(separator: ", "))) ON CONFLICT DO NOTHING")
        let changes = zip(table.columns, places).map { "\($0.name) = \($1)" }.joined(separator: ", ")
        replace = Query("UPDATE \(table.name) SET \(changes) WHERE \(key) = ?1")
        delete = Query("DELETE FROM \(table.name) WHERE \(key) = ?")
        let owned: String? =
            switch table.owner {
            case .nobody: nil
            case .user(let column, _): "\(column) = ?"
            case .identity(let column): "\(column) IN (SELECT id FROM identities WHERE user_id = ?)"
            case .session(let column): "\(column) IN (SELECT id FROM sessions WHERE user_id = ?)"
            }
        ofUser = owned.map { Query("SELECT \(names) FROM \(table.name) WHERE \($0) ORDER BY \(key)") }
        moving = table.moving
        hasOlder = table.age.map { Query("SELECT 1 FROM \(table.name) WHERE \($0) < ? LIMIT 1") }
        deleteOlder = table.age.map { age in
            Query(
                """
                DELETE FROM \(table.name) WHERE \(key) IN
                    (SELECT \(key) FROM \(table.name) WHERE \(age) < ? ORDER BY \(age) LIMIT ?)
                """)
        }
    }

    /// The statements that make it where it is not there.
    package func creation(_ words: Words) -> [String] {
        let key = Set(table.key.map(\.name))
        let columns = table.columns.map { column in
            var text = "\(column.name) "
            switch column.kind {
            case .integer: text += words.integer
            case .text: text += words.text + (key.contains(column.name) ? words.byteOrder : "")
            case .bytes: text += words.bytes
            }
            if key.contains(column.name) { text += " PRIMARY KEY" }
            if !column.isOptional { text += " NOT NULL" }
            if let (owner, owned) = owner, owned == column.name {
                text += " REFERENCES \(owner) (id) ON DELETE CASCADE"
            }
            return text
        }
        var statements = [
            "CREATE TABLE IF NOT EXISTS \(table.name) (\(columns.joined(separator: ", ")))\(words.tail)"
        ]
        // What takes the owner away looks for its rows.
        for column in [table.expiry, table.age, owner?.column].compactMap(\.self) where !key.contains(column) {
            statements.append(
                "CREATE INDEX IF NOT EXISTS \(table.name)_\(column) ON \(table.name) (\(column))")
        }
        return statements
    }

    private var owner: (table: String, column: String)? {
        switch table.owner {
        case .nobody: nil
        case .user(let column, _): ("users", column)
        case .identity(let column): ("identities", column)
        case .session(let column): ("sessions", column)
        }
    }
}
