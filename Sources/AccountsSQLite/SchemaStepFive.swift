extension Schema {
    // Keys know what they are for, and when they were retired. A key from before may have signed receipts, which are
    // proof for years, wherever there are any: then it lasts. A receipt tells what it answers, and by which methods its
    // user was recognised. A secret key's number names it for good, so it is never given twice.
    static let fifth = """
        ALTER TABLE signing_keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'session';
        ALTER TABLE signing_keys ADD COLUMN lasting INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE signing_keys ADD COLUMN retired INTEGER;
        UPDATE signing_keys SET lasting = 1 WHERE EXISTS (SELECT 1 FROM receipts);

        ALTER TABLE receipts ADD COLUMN amr TEXT NOT NULL DEFAULT '';
        ALTER TABLE receipts ADD COLUMN nonce TEXT;

        CREATE TABLE secret_keys (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            purpose TEXT NOT NULL,
            sealed_key BLOB NOT NULL,
            created INTEGER NOT NULL
        ) STRICT;
        """
}
