internal import Accounts
internal import Apps
internal import SignIn

/// Who has the page open: the browser's key, by its hash, and the session that it has opened. A session that ends takes
/// its visit along.
struct AccountVisits: Sendable {
    static let table = Table(
        "account_visits", key: .bytes("hash"), [.bytes("session_id"), .integer("expires")],
        owner: .session("session_id"), expiry: "expires")
    /// How long the page is open, in seconds: who comes to a browser that was left alone finds it shut.
    static let lifetimeSeconds: Int64 = 600

    let repository: any AccountRepository

    /// - Parameter now: seconds since 1970.
    func open(_ key: AccountKey, of session: SessionID, now: Int64) async throws(ServiceError) {
        let row: [Cell] = [
            .bytes(key.hash), .bytes(session.bytes), .integer(now + Self.lifetimeSeconds),
        ]
        _ = try await stored { () throws(RepositoryError) in
            try await repository.changeRows(now: now) { rows throws(RepositoryError) in
                try rows.insert(row, into: Self.table)
            }
        }
    }

    /// - Returns: the live session of the browser that has that key; nil where its visit is over.
    func session(of key: AccountKey, now: Int64) async throws(ServiceError) -> Session? {
        try await stored { () throws(RepositoryError) in
            let row = try await repository.readRows { rows throws(RepositoryError) in
                try rows.find(.bytes(key.hash), in: Self.table, now: now)
            }
            guard case .bytes(let bytes)? = row?[1], let id = SessionID(bytes) else { return nil }
            guard let session = try await repository.session(id, now: now),
                session.app == RegisteredApp.accountPageName
            else { return nil }
            return session
        }
    }
}
