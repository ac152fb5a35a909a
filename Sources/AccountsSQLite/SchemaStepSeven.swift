extension Schema {
    // What must never be undone waits here for its place in the ledger's file. The numbers of records are never given twice.
    static let seventh = """
        CREATE TABLE ledger (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            line TEXT NOT NULL
        ) STRICT;
        """
}
