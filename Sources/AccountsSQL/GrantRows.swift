public import Accounts

/// What providers have granted for identities, its tokens sealed.
///
/// To take an identity away, or to give a grant up, call ``revoke(_:)``: then the same transaction puts what the
/// provider has given on its way back.
package struct GrantRows {
    static let columns = """
        grants.identity_id, identities.user_id, identities.provider, identities.issuer, identities.subject, version,
        tokens, obtained, ended
        """
    private static let find = Query(
        """
        SELECT \(columns) FROM grants JOIN identities ON identities.id = grants.identity_id
        WHERE identities.id = ? AND identities.user_id = ?
        """)
    private static let ofUser = Query(
        """
        SELECT \(columns) FROM identities JOIN grants ON grants.identity_id = identities.id
        WHERE identities.user_id = ? ORDER BY identities.id
        """)
    private static let standing = Query("SELECT tokens, leased_until FROM grants WHERE identity_id = ?")
    private static let keep = Query(
        """
        INSERT INTO grants (identity_id, version, tokens, expires, obtained, asked) VALUES (?1, 1, ?2, ?3, ?4, ?4)
        ON CONFLICT (identity_id) DO UPDATE SET version = grants.version + 1, tokens = ?2, expires = ?3, obtained = ?4,
            asked = ?4, leased_by = NULL, leased_until = NULL, ended = NULL
        """)
    // A lease that is over is anybody's, and who has it may have it anew.
    private static let lease = Query(
        """
        UPDATE grants SET leased_by = ?3, leased_until = ?4
        WHERE identity_id = ?1 AND version = ?2 AND ended IS NULL
            AND (leased_by IS NULL OR leased_by = ?3 OR leased_until <= ?5)
        """)
    private static let holder = Query(
        "SELECT leased_until FROM grants WHERE identity_id = ? AND version = ? AND ended IS NULL")
    private static let renew = Query(
        """
        UPDATE grants SET version = version + 1, tokens = ?3, expires = ?4, obtained = ?5, asked = ?5, leased_by = NULL,
            leased_until = NULL
        WHERE identity_id = ?1 AND version = ?2 AND ended IS NULL
        """)
    private static let end = Query(
        """
        UPDATE grants SET version = version + 1, tokens = NULL, expires = NULL, leased_by = NULL, leased_until = NULL,
            ended = ?3
        WHERE identity_id = ?1 AND version = ?2 AND ended IS NULL
        """)
    private static let release = Query(
        """
        UPDATE grants SET leased_by = NULL, leased_until = NULL, asked = coalesce(?4, asked)
        WHERE identity_id = ?1 AND version = ?2 AND leased_by = ?3
        """)
    private static let releaseAll = Query(
        "UPDATE grants SET leased_by = NULL, leased_until = NULL WHERE leased_by IS NOT NULL")
    private static let delete = Query("DELETE FROM grants WHERE identity_id = ?")
    private static let exists = Query("SELECT 1 FROM grants WHERE identity_id = ? AND ended IS NULL")

    package let connection: any StoreConnection
    package let sealer: StoreSealer
    package let now: Int64

    package init(connection: any StoreConnection, sealer: StoreSealer, now: Int64) {
        (self.connection, self.sealer, self.now) = (connection, sealer, now)
    }

    package func find(_ identity: IdentityID, of user: UserID) throws(RepositoryError) -> ProviderGrant? {
        try connection.first(Self.find, identity, user, read: grant)
    }

    package func all(of user: UserID) throws(RepositoryError) -> [ProviderGrant] {
        try connection.all(Self.ofUser, user, read: grant)
    }

    func grant(_ row: any Statement) throws(RepositoryError) -> ProviderGrant {
        let identity = IdentityID(rawValue: row.integer(0))
        return ProviderGrant(
            identity: identity, user: UserID(rawValue: row.integer(1)), provider: row.text(2),
            subject: Subject(issuer: row.text(3), value: row.text(4)), version: row.integer(5),
            tokens: row.isEmpty(6) ? nil : try opened(row.blob(6), of: identity), obtainedAt: row.integer(7))
    }

    /// Keeps what a sign-in has brought, for its identity and its session.
    package func keep(_ kept: KeptTokens, for identity: IdentityID, _ session: SessionID) throws(RepositoryError) {
        try keep(kept.tokens, for: identity)
        guard let idToken = kept.idToken else { return }
        try SessionEnd(connection: connection, sealer: sealer, now: now).keep(idToken, for: session)
    }

    /// Keeps what a sign-in has brought, in the place of what was there.
    ///
    /// Some providers give a refresh token the first time only, so one that is there stays where none has come. While
    /// it is being used nothing is changed: what comes of that is as good, and the token that is here may be spent.
    package func keep(_ tokens: ProviderTokens, for identity: IdentityID) throws(RepositoryError) {
        var tokens = tokens
        if tokens.refreshToken == nil {
            let standing = try connection.first(Self.standing, identity) { row throws(RepositoryError) in
                (sealed: row.isEmpty(0) ? nil : row.blob(0), leasedUntil: row.optionalInteger(1))
            }
            if let sealed = standing?.sealed, let before = try? opened(sealed, of: identity) {
                if before.refreshToken != nil, let until = standing?.leasedUntil, until > now { return }
                tokens.refreshToken = before.refreshToken
            }
        }
        try connection.run(Self.keep, identity, try sealed(tokens, of: identity), tokens.expiresAt, now)
    }

    package func lease(_ lease: GrantLease) throws(RepositoryError) -> GrantLeaseOutcome {
        let grant = lease.grant
        try connection.run(Self.lease, grant.identity, grant.version, lease.holder, lease.expiresAt, now)
        if connection.changes > 0 { return .leased }
        let until = try connection.first(Self.holder, grant.identity, grant.version) { $0.optionalInteger(0) }
        guard case .some(let until?) = until else { return .changed }
        return .held(until: until)
    }

    package func renew(_ lease: GrantLease, with tokens: ProviderTokens) throws(RepositoryError) -> GrantRenewal {
        let identity = lease.grant.identity
        try connection.run(
            Self.renew, identity, lease.grant.version, try sealed(tokens, of: identity), tokens.expiresAt, now)
        if connection.changes > 0 { return .stored }
        if try connection.first(Self.exists, identity, read: { _ in true }) != nil { return .superseded }
        try OutboxRows(connection: connection, sealer: sealer, now: now).add(revoking: tokens, of: lease.grant)
        return .over
    }

    /// - Returns: whether it was still the grant that was found.
    package func end(_ grant: ProviderGrant) throws(RepositoryError) -> Bool {
        try connection.run(Self.end, grant.identity, grant.version, now)
        guard connection.changes > 0 else { return false }
        try AuditTrail(connection: connection, now: now)
            .add(.providerGrantEnded, user: grant.user, old: grant.identity)
        return true
    }

    /// - Parameter isDoubted: whether it is due to be checked.
    package func release(_ lease: GrantLease, isDoubted: Bool) throws(RepositoryError) {
        try connection.run(
            Self.release, lease.grant.identity, lease.grant.version, lease.holder, isDoubted ? 0 as Int64 : nil)
    }

    /// Gives a grant up, and has its provider told so.
    ///
    /// - Parameter obtainedBy: not one that is newer, in seconds since 1970; nil for any.
    /// - Returns: whether there was one.
    @discardableResult
    package func revoke(
        _ identity: IdentityID, of user: UserID, obtainedBy time: Int64? = nil
    ) throws(RepositoryError) -> Bool {
        guard let grant = try find(identity, of: user), time.map({ grant.obtainedAt <= $0 }) ?? true else {
            return false
        }
        try revoke(grant)
        return true
    }

    /// Gives all of a user's grants up.
    package func revokeAll(of user: UserID) throws(RepositoryError) {
        for grant in try all(of: user) { try revoke(grant) }
    }

    /// The same for one that was found, also where its identity has gone since.
    package func revoke(_ grant: ProviderGrant) throws(RepositoryError) {
        try connection.run(Self.delete, grant.identity)
        guard let tokens = grant.tokens else { return }
        try OutboxRows(connection: connection, sealer: sealer, now: now).add(revoking: tokens, of: grant)
    }

    /// Gives back what a former life of the one server of this store has left behind.
    package static func releaseAll(_ connection: any StoreConnection) throws(RepositoryError) {
        try connection.run(releaseAll)
    }

    private func sealed(_ tokens: ProviderTokens, of identity: IdentityID) throws(RepositoryError) -> [UInt8] {
        try sealer.sealing(KeptTokens.encode(tokens), .grant(of: identity))
    }

    private func opened(_ sealed: [UInt8], of identity: IdentityID) throws(RepositoryError) -> ProviderTokens {
        try sealer.keptTokens(sealed, .grant(of: identity), connection).tokens
    }
}

/// How refreshes fared, counted with what they did.
struct GrantCountRows {
    enum Count: String {
        case refreshes = "grant_refreshes"
        case failures = "grant_refresh_failures"
        case ended = "grants_ended"
    }

    private static let add = Query(
        "INSERT INTO meta (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = meta.value + 1")
    private static let find = Query("SELECT value FROM meta WHERE name = ?")

    let connection: any StoreConnection

    func add(_ count: Count) throws(RepositoryError) { try connection.run(Self.add, count.rawValue) }

    func all() throws(RepositoryError) -> GrantCounts {
        GrantCounts(refreshes: try value(.refreshes), failures: try value(.failures), ended: try value(.ended))
    }

    private func value(_ count: Count) throws(RepositoryError) -> Int64 {
        try connection.first(Self.find, count.rawValue) { $0.integer(0) } ?? 0
    }
}

extension SQLStore {
    public func providerGrant(
        _ identity: IdentityID, of user: UserID
    ) async throws(RepositoryError) -> ProviderGrant? {
        try await read { [sealer] connection throws(RepositoryError) in
            try GrantRows(connection: connection, sealer: sealer, now: 0).find(identity, of: user)
        }
    }

    public func leaseGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> GrantLeaseOutcome {
        try await write(of: .identity(lease.grant.identity)) { [sealer] connection throws(RepositoryError) in
            try GrantRows(connection: connection, sealer: sealer, now: now).lease(lease)
        }
    }

    public func renewGrant(
        _ lease: GrantLease, with tokens: ProviderTokens, now: Int64
    ) async throws(RepositoryError) -> GrantRenewal {
        try await write { [sealer] connection throws(RepositoryError) in
            try GrantCountRows(connection: connection).add(.refreshes)
            return try GrantRows(connection: connection, sealer: sealer, now: now).renew(lease, with: tokens)
        }
    }

    public func endGrant(_ lease: GrantLease, now: Int64) async throws(RepositoryError) -> Bool {
        try await write { [sealer] connection throws(RepositoryError) in
            let hasEnded = try GrantRows(connection: connection, sealer: sealer, now: now).end(lease.grant)
            if hasEnded { try GrantCountRows(connection: connection).add(.ended) }
            return hasEnded
        }
    }

    public func releaseGrant(_ lease: GrantLease, isDoubted: Bool) async throws(RepositoryError) {
        try await write { [sealer] connection throws(RepositoryError) in
            try GrantCountRows(connection: connection).add(.failures)
            try GrantRows(connection: connection, sealer: sealer, now: 0).release(lease, isDoubted: isDoubted)
        }
    }

    public func grantCounts() async throws(RepositoryError) -> GrantCounts {
        try await read { connection throws(RepositoryError) in
            try GrantCountRows(connection: connection).all()
        }
    }

    public func refreshProfile(_ refresh: ProfileRefresh) async throws(RepositoryError) -> User? {
        try await write(of: .identity(refresh.identity)) { [sealer] connection throws(RepositoryError) in
            guard let session = try SessionRows(connection: connection).find(refresh.session, now: refresh.now),
                let identity = try IdentityRows(connection: connection).find(refresh.identity, of: session.user)
            else { return nil }
            let users = UserRows(connection: connection, sealer: sealer)
            guard let before = try users.find(session.user)?.profile else { throw .unavailable(.corrupt) }
            var profile = before
            // What only an ID token says stays as the sign-in brought it.
            var claims = before.claims(of: identity.provider)
            for claim in refresh.claims.members { claims[claim.name] = claim.json }
            profile.merge(
                ProviderStatement(
                    provider: identity.provider, subject: identity.subject.value, attributes: refresh.attributes,
                    claims: claims, at: refresh.now))
            if profile != before {
                try users.setProfile(of: session.user, profile, before: before, now: refresh.now)
                if profile.hasOtherEmail(than: before, by: identity.provider) {
                    try IdentityEventRows(connection: connection, sealer: sealer, now: refresh.now)
                        .resumeEmail(of: identity.id)
                }
            }
            return try users.find(session.user)
        }
    }
}
