package import Accounts

/// Where sealed values lie.
enum SealedArea: Int64, CaseIterable {
    // In the order of the walks; what comes later stands last, for a walk that has begun goes on from where it is.
    case users, tickets, signingKeys, proof, secretKeys, grants, idTokens, ticketTokens, outbox, unlockKeys

    /// Before the first value.
    var start: SealedPosition {
        switch self {
        case .users, .secretKeys, .grants, .outbox: .row(0)
        case .tickets, .idTokens, .ticketTokens, .unlockKeys: .hash([])
        case .signingKeys, .proof: .name("")
        }
    }

    var table: String {
        switch self {
        case .users: "users"
        case .tickets, .ticketTokens: "tickets"
        case .signingKeys: "signing_keys"
        case .proof: "meta"
        case .secretKeys: "secret_keys"
        case .grants: "grants"
        case .idTokens: "kept_id_tokens"
        case .outbox: "outbox"
        case .unlockKeys: "unlock_keys"
        }
    }

    var next: SealedArea? { SealedArea(rawValue: rawValue + 1) }
}

/// The primary key of a row with a sealed value.
package enum SealedPosition: Bindable, Equatable {
    case row(Int64)
    case hash([UInt8])
    case name(String)

    package func bind(to statement: any Statement, at index: Int32) throws(RepositoryError) {
        switch self {
        case .row(let row): try row.bind(to: statement, at: index)
        case .hash(let hash): try hash.bind(to: statement, at: index)
        case .name(let name): try name.bind(to: statement, at: index)
        }
    }
}

/// All sealed values of the store, in pages by primary key, so that a walk through them holds up nobody.
struct SealedValues {
    struct Value {
        let position: SealedPosition
        let sealed: [UInt8]
        let context: SealContext
    }

    // Primary key, sealed value, and what it is for where that is part of its place.
    private static let pages: [SealedArea: Query] = [
        .users: Query("SELECT id, profile, '' FROM users WHERE id > ? ORDER BY id LIMIT ?"),
        .tickets: Query("SELECT hash, profile, '' FROM tickets WHERE hash > ? ORDER BY hash LIMIT ?"),
        .signingKeys: Query(
            """
            SELECT kid, private_key, purpose FROM signing_keys WHERE kid > ? AND retired IS NULL ORDER BY kid LIMIT ?
            """),
        .proof: Query(
            "SELECT name, value, '' FROM meta WHERE name > ? AND name = 'seal_proof' LIMIT ?",
            postgres: "SELECT name, content, '' FROM meta WHERE name > ? AND name = 'seal_proof' LIMIT ?"),
        .secretKeys: Query(
            "SELECT number, sealed_key, purpose FROM secret_keys WHERE number > ? ORDER BY number LIMIT ?"),
        .grants: Query(
            """
            SELECT identity_id, tokens, '' FROM grants WHERE identity_id > ? AND tokens IS NOT NULL
            ORDER BY identity_id LIMIT ?
            """),
        .idTokens: Query(
            "SELECT session_id, token, '' FROM kept_id_tokens WHERE session_id > ? ORDER BY session_id LIMIT ?"),
        .ticketTokens: Query(
            "SELECT hash, tokens, '' FROM tickets WHERE hash > ? AND tokens IS NOT NULL ORDER BY hash LIMIT ?"),
        .outbox: Query("SELECT number, content, '' FROM outbox WHERE number > ? ORDER BY number LIMIT ?"),
        .unlockKeys: Query(
            "SELECT id, content, '' FROM unlock_keys WHERE id > ? AND content IS NOT NULL ORDER BY id LIMIT ?"),
    ]
    private static let replacements: [SealedArea: Query] = [
        .users: Query("UPDATE users SET profile = ? WHERE id = ?"),
        .tickets: Query("UPDATE tickets SET profile = ? WHERE hash = ?"),
        .signingKeys: Query("UPDATE signing_keys SET private_key = ? WHERE kid = ?"),
        .proof: Query(
            "UPDATE meta SET value = ? WHERE name = ?", postgres: "UPDATE meta SET content = ? WHERE name = ?"),
        .secretKeys: Query("UPDATE secret_keys SET sealed_key = ? WHERE number = ?"),
        .grants: Query("UPDATE grants SET tokens = ? WHERE identity_id = ?"),
        .idTokens: Query("UPDATE kept_id_tokens SET token = ? WHERE session_id = ?"),
        .ticketTokens: Query("UPDATE tickets SET tokens = ? WHERE hash = ?"),
        .outbox: Query("UPDATE outbox SET content = ? WHERE number = ?"),
        .unlockKeys: Query("UPDATE unlock_keys SET content = ? WHERE id = ?"),
    ]
    private static let few = Query(
        """
        SELECT (SELECT count(*) FROM tickets) + (SELECT count(*) FROM signing_keys WHERE retired IS NULL)
            + (SELECT count(*) FROM secret_keys) + (SELECT count(*) FROM grants)
            + (SELECT count(*) FROM kept_id_tokens) + (SELECT count(*) FROM outbox)
            + (SELECT count(*) FROM unlock_keys) + 1
        """)

    let connection: any Connection

    /// About how many there are.
    func count() throws(RepositoryError) -> Int {
        try connection.userCount() + Int(try connection.first(Self.few) { $0.integer(0) } ?? 0)
    }

    func page(_ area: SealedArea, after position: SealedPosition, limit: Int) throws(RepositoryError) -> [Value] {
        guard let query = Self.pages[area] else { return [] }
        return try connection.all(query, position, Int64(limit)) { row throws(RepositoryError) in
            let position = Self.position(area, row, 0)
            return Value(
                position: position, sealed: row.blob(1), context: try Self.context(area, position, purpose: row.text(2))
            )
        }
    }

    func replace(_ area: SealedArea, at position: SealedPosition, with sealed: [UInt8]) throws(RepositoryError) {
        guard let query = Self.replacements[area] else { return }
        try connection.run(query, sealed, position)
    }

    static func position(_ area: SealedArea, _ row: any Statement, _ column: Int32) -> SealedPosition {
        switch area {
        case .users, .secretKeys, .grants, .outbox: .row(row.integer(column))
        case .tickets, .idTokens, .ticketTokens, .unlockKeys: .hash(row.blob(column))
        case .signingKeys, .proof: .name(row.text(column))
        }
    }

    private static func context(
        _ area: SealedArea, _ position: SealedPosition, purpose: String
    ) throws(RepositoryError) -> SealContext {
        switch (area, position) {
        case (.users, .row(let row)): return .profile(of: UserID(rawValue: row))
        case (.tickets, .hash(let bytes)):
            guard let hash = TokenHash(bytes) else { throw .unavailable(.corrupt) }
            return .profile(of: hash)
        case (.ticketTokens, .hash(let bytes)):
            guard let hash = TokenHash(bytes) else { throw .unavailable(.corrupt) }
            return .tokens(of: hash)
        case (.idTokens, .hash(let bytes)):
            guard let session = SessionID(bytes) else { throw .unavailable(.corrupt) }
            return .idToken(of: session)
        case (.unlockKeys, .hash(let bytes)):
            guard let id = UnlockKeyID(bytes) else { throw .unavailable(.corrupt) }
            return .unlockKey(id)
        case (.grants, .row(let row)): return .grant(of: IdentityID(rawValue: row))
        case (.outbox, .row(let row)): return .outbox(row)
        case (.signingKeys, .name(let kid)):
            guard let purpose = SigningKeyEntry.Purpose(rawValue: purpose) else { throw .unavailable(.corrupt) }
            return .signingKey(kid, purpose)
        case (.secretKeys, .row(let number)):
            guard let purpose = SecretKey.Purpose(rawValue: purpose) else { throw .unavailable(.corrupt) }
            return .secretKey(number, purpose)
        default: return .proof
        }
    }
}
