public import Accounts

/// By what users will be known whose app moves to another team at Apple, hashed. An identity has one such row at most,
/// which goes with it: so what has moved somebody moves nobody else.
struct TransferSubjectRows {
    // An identity counts where the row was asked for: at the same issuer, in the same section of the configuration.
    private static let subject = Query(
        """
        SELECT subject FROM transfer_subjects JOIN identities ON identities.id = identity_id
        WHERE hash = ? AND provider = ? AND issuer = ?
        """)
    private static let identity = Query("SELECT id FROM identities WHERE subject = ? AND issuer = ? AND provider = ?")
    private static let forget = Query("DELETE FROM transfer_subjects WHERE identity_id = ?")
    private static let insert = Query(
        "INSERT INTO transfer_subjects (hash, identity_id, team) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    private static let missing = Query(
        """
        SELECT id, subject FROM identities WHERE id > ?1 AND provider = ?2 AND issuer = ?3
            AND NOT EXISTS (SELECT 1 FROM transfer_subjects WHERE identity_id = identities.id AND team = ?4)
        ORDER BY id LIMIT ?5
        """)
    private static let counts = Query(
        """
        SELECT count(*), count(hash) FROM identities
        LEFT JOIN transfer_subjects ON identity_id = identities.id AND team = ?3 WHERE provider = ?1 AND issuer = ?2
        """)

    let connection: any StoreConnection

    /// Who a hash says that somebody was.
    func subject(of hash: TokenHash, at provider: String, _ issuer: String) throws(RepositoryError) -> Subject? {
        try connection.first(Self.subject, hash, provider, issuer) { Subject(issuer: issuer, value: $0.text(0)) }
    }

    func note(_ batch: [SubjectTransfer], of transfer: TeamTransfer) throws(RepositoryError) -> [TransferNote] {
        var identities: [IdentityID?] = []
        for entry in batch {
            let identity = try connection.first(
                Self.identity, entry.subject.value, transfer.issuer, transfer.provider
            ) { IdentityID(rawValue: $0.integer(0)) }
            identities.append(identity)
            // All of them first: what was noted the wrong way round is put right in one go.
            if let identity { try connection.run(Self.forget, identity) }
        }
        var notes: [TransferNote] = []
        for (entry, identity) in zip(batch, identities) {
            guard let identity else {
                notes.append(.unknown)
                continue
            }
            // Nothing is left there but of one that is named twice, whose last word counts.
            try connection.run(Self.forget, identity)
            try connection.run(Self.insert, entry.hash, identity, transfer.team)
            notes.append(connection.changes > 0 ? .noted : .taken)
        }
        return notes
    }

    func missing(
        _ transfer: TeamTransfer, after: IdentityID?, limit: Int
    ) throws(RepositoryError) -> [TransferableIdentity] {
        try connection.all(
            Self.missing, after?.rawValue ?? 0, transfer.provider, transfer.issuer, transfer.team, Int64(limit)
        ) { row in
            TransferableIdentity(
                id: IdentityID(rawValue: row.integer(0)),
                subject: Subject(issuer: transfer.issuer, value: row.text(1)))
        }
    }

    func counts(_ transfer: TeamTransfer) throws(RepositoryError) -> TransferCounts {
        let counts = try connection.first(Self.counts, transfer.provider, transfer.issuer, transfer.team) { row in
            TransferCounts(identities: Int(row.integer(0)), noted: Int(row.integer(1)))
        }
        return counts ?? TransferCounts(identities: 0, noted: 0)
    }
}

extension SQLStore {
    public func identitiesToTransfer(
        _ transfer: TeamTransfer, after: IdentityID?, limit: Int
    ) async throws(RepositoryError) -> [TransferableIdentity] {
        try await readAside { connection throws(RepositoryError) in
            try TransferSubjectRows(connection: connection).missing(transfer, after: after, limit: limit)
        }
    }

    public func noteTransfers(
        _ batch: [SubjectTransfer], of transfer: TeamTransfer
    ) async throws(RepositoryError) -> [TransferNote] {
        try await write { connection throws(RepositoryError) in
            try TransferSubjectRows(connection: connection).note(batch, of: transfer)
        }
    }

    public func transferCounts(_ transfer: TeamTransfer) async throws(RepositoryError) -> TransferCounts {
        try await readAside { connection throws(RepositoryError) in
            try TransferSubjectRows(connection: connection).counts(transfer)
        }
    }
}
