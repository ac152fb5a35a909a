import Accounts
import TestSupport

@testable import AccountsSQL
@testable import AccountsSQLite

extension TemporaryFolder {
    /// A store as an earlier version has left it, with one user, who has one identity and one session.
    ///
    /// - Parameters:
    ///   - version: of the schema; the eighth at the earliest.
    ///   - identity: which identity has opened the session; nil where that can't be told any more.
    func makeStore(ofVersion version: Int, sessionBy identity: Int64?) throws {
        try write([], to: database)
        let connection = try SQLiteConnection(path: database, isWritable: true)
        for step in Schema.steps.prefix(version) { try connection.execute(step) }
        try connection.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version);")
        try connection.execute("INSERT INTO key_ring (number, sealed_key, created) VALUES (1, x'010203', 1)")
        try connection.run(
            Query("INSERT INTO users (id, reference, profile, created, updated) VALUES (1, 'abc', ?, 5, 5)"),
            try TransparentSealer().seal(Profile(carrier: Sample.jane).encoded, for: .profile(of: UserID(rawValue: 1))))
        try connection.execute(
            """
            INSERT INTO identities (id, user_id, provider, issuer, subject, origin, linked, last_sign_in)
            VALUES (1, 1, 'zenkey', '\(Sample.issuer)', '1', 'sign-in', 5, 5);
            INSERT INTO sessions (id, user_id, family, refresh_hash, expires, created, amr, provider, client, identity_id)
            VALUES (zeroblob(16), 1, zeroblob(16), x'', \(Sample.now + 60), 5, '', 'zenkey', 'app',
                \(identity.map(String.init) ?? "NULL"));
            """)
    }
}
