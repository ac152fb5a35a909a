public import Accounts
import AccountsSQL
import Postgres

/// The sign-in of a user whose subject is known and about whom there is nothing to decide, which nearly every sign-in
/// is: one statement, which is a transaction.
struct KnownUserSignIn {
    private static let firstOfParts = 15
    private static let noted = AuditColumn.expressions(
        from: firstOfParts + 1, user: "target.user_id", newIdentity: "target.id")
    // The line of the provider's session is held, so that a logout at the same moment waits, or is seen.
    // The identity's row is held first, so that another who takes it away, locks it or draws a line comes before
    // or after, and the rest follows from it: where there is no such row, nothing happens at all.
    // Where the issuer had another name, the row of that is taken, unless there is one under the current name.
    private static func statement(
        _ source: SessionSource, isMoving: Bool = false, tellsCommit: Bool = false
    ) -> Postgres.Statement {
        // Behind the count, which has the rest done.
        let commit = tellsCommit ? ",\n    \(PositionStatements.commitColumns)" : ""
        let opened = SessionPart(
            from: isMoving ? firstOfParts + 1 + AuditColumn.placeCount : firstOfParts, user: "user_id",
            identity: "target.id", provider: "$9", now: "$8")
        let isStored =
            isMoving
            ? """
            issuer = $\(firstOfParts)
                    AND NOT EXISTS (SELECT 1 FROM identities AS here WHERE here.subject = $1 AND here.issuer = $2)
            """ : "issuer = $2"
        let moved =
            isMoving
            ? """
            , noted AS (
                INSERT INTO audit (\(AuditColumn.names)) SELECT \(noted) FROM target, touched
            )
            """ : ""
        return Postgres.Statement(
            """
            WITH target AS MATERIALIZED (
                SELECT id, user_id FROM identities
                WHERE subject = $1 AND \(isStored)
                    AND locked_until <= $8 AND not_before < $10 AND authenticated_after IS NULL
                    AND NOT EXISTS (
                        SELECT 1 FROM not_before AS line
                        WHERE key IN ('\(NotBeforeKey.everybody)', '\(NotBeforeKey.providerPrefix)' || $9, $11, $12)
                            AND (at >= $10 OR line.authenticated_after IS NOT NULL))
                    AND ($3::int8 IS NULL OR \(source.room) > 0 AND \(source.roomOf) = $3)
                FOR UPDATE
            ), held AS (
                \(HeldLine.insert("VALUES ($12)", from: "target", now: "$8"))
            ), passed AS MATERIALIZED (
                SELECT id, user_id FROM target WHERE NOT EXISTS (SELECT 1 FROM held WHERE \(HeldLine.bars("$10")))
            ), code AS (
                INSERT INTO code_uses (slot, hash, owner, state, expires, answer)
                SELECT $14::int8, $4, $5, 1, $6::int8, $13::bytea FROM passed
                WHERE $4::bytea IS NOT NULL AND \(UsedCodeRows.isNoOlder(hash: "$4", owner: "$5", dead: "$7"))
                ON CONFLICT (hash, slot) DO UPDATE SET state = 1, expires = excluded.expires, answer = excluded.answer
                WHERE code_uses.expires <= $7 OR code_uses.state = 0 AND code_uses.owner = excluded.owner
                RETURNING hash
            ), free AS (
                SELECT 1 FROM code UNION ALL SELECT 1 FROM passed WHERE $4::bytea IS NULL
            ), touched AS (
                UPDATE identities SET last_sign_in = $8, \(source.room) = \(source.room) - 1\(isMoving ? ", issuer = $2" : "")
                FROM target, free
                WHERE identities.id = target.id
                RETURNING identities.id
            ), opened AS (
                INSERT INTO sessions (\(opened.names)) SELECT \(opened.expressions) FROM target, touched
                RETURNING user_id
            )\(moved)
            SELECT target.id, target.user_id, users.reference, users.profile, (SELECT count(*) FROM opened)\(commit)
            FROM passed AS target JOIN users ON users.id = target.user_id
            """)
    }

    private static let ofSignIns = statement(.signIn)
    private static let ofExchanges = statement(.tokenExchange)
    private static let tellingOfSignIns = statement(.signIn, tellsCommit: true)
    private static let tellingOfExchanges = statement(.tokenExchange, tellsCommit: true)
    private static let movingBySignIns = statement(.signIn, isMoving: true)
    private static let movingByExchanges = statement(.tokenExchange, isMoving: true)

    enum Outcome {
        case signedIn(UserID, IdentityID, reference: String, sealedProfile: [UInt8])
        case codeAlreadyUsed
        /// There is something to decide, or to be made.
        case notSimple
    }

    let signIn: SimpleSignIn

    /// What both statements take first.
    private var values: [Value] {
        [
            .text(signIn.subject.value), .text(signIn.subject.issuer), .optional(signIn.sessionLimits?.number),
            .optional(signIn.code?.hash), .optional(signIn.code?.owner), .optional(signIn.code?.expiresAt),
            .integer(signIn.now - UsedCodeRows.graceSeconds), .integer(signIn.now), .text(signIn.provider),
            .integer(signIn.leastLine), .optional(signIn.session.app.map(NotBeforeKey.app)),
            .optional(signIn.session.upstreamSession.map(NotBeforeKey.session)), signIn.answer(.known),
            .integer(signIn.slot.number),
        ]
    }

    private var session: [Value] { SessionPart.values(of: signIn.session).map(Value.init) }

    func run(_ work: Work) async throws(RepositoryError) -> Outcome {
        let tellsCommit = work.store.fence.tellsCommits
        let statement =
            switch signIn.session.source {
            case .signIn: tellsCommit ? Self.tellingOfSignIns : Self.ofSignIns
            case .tokenExchange: tellsCommit ? Self.tellingOfExchanges : Self.ofExchanges
            }
        return try Self.outcome(
            try await work.rows(Command(statement, values + session), tellsCommit: tellsCommit))
    }

    /// The same of a user who is stored under the name that the issuer had before, and under the current one from then
    /// on.
    func run(movingFrom former: String, in store: PostgresAccounts) async throws(RepositoryError) -> Outcome {
        let statement =
            switch signIn.session.source {
            case .signIn: Self.movingBySignIns
            case .tokenExchange: Self.movingByExchanges
            }
        let event = AuditColumn.values(of: event(of: nil, nil)).map(Value.init)
        let command = Command(statement, values + [.text(former)] + event + session)
        let outcome: Outcome
        do throws(PostgresError) {
            let rows = try await store.alone(command, .durable)
            do throws(RepositoryError) { outcome = try Self.outcome(rows) } catch { throw .unexpectedResult }
        } catch .refused(.uniqueViolation) {
            // Somebody else has come under the current name.
            return .notSimple
        } catch {
            throw RepositoryError(error)
        }
        if case .signedIn(let user, let identity, reference: _, sealedProfile: _) = outcome {
            store.tell([self.event(of: user, identity)])
        }
        return outcome
    }

    private func event(of user: UserID?, _ identity: IdentityID?) -> NewAuditEvent {
        NewAuditEvent(
            at: signIn.now, kind: .identityRenamed, user: user, oldIdentity: nil, newIdentity: identity,
            origin: (AuditContext.current?.origin ?? .system).opening(signIn.session))
    }

    private static func outcome(_ rows: Rows) throws(RepositoryError) -> Outcome {
        guard let row = rows.first.map(StoredRow.init) else { return .notSimple }
        guard try row.integer(4) > 0 else { return .codeAlreadyUsed }
        return .signedIn(
            try row.user(1), try row.identity(0), reference: try row.text(2), sealedProfile: try row.bytes(3))
    }
}

extension PostgresAccounts {
    public func signIn(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome {
        if record.evidence.code == nil { try await admit() }
        return try await inTurn(of: .subject(record.subject)) { () async throws(RepositoryError) in
            try await signInNow(record)
        }
    }

    private func signInNow(_ record: SignInRecord) async throws(RepositoryError) -> SignInOutcome {
        do throws(RepositoryError) {
            // What is not a claimed code is written twice beside older instances, which takes a transaction.
            guard let simple = SimpleSignIn(record), simple.isInOneTable || !isBesideOlder(now: record.now) else {
                return try await decided(record, isSimple: false)
            }
            var outcome = try await KnownUserSignIn(signIn: simple).run(Work(self))
            if case .notSimple = outcome {
                if let new = try await NewUserSignIn(signIn: simple).run(in: self) { return .signedIn(new) }
                let former = settings.formerIssuers.names(of: record.subject.issuer)
                if former.count == 1 {
                    outcome = try await KnownUserSignIn(signIn: simple).run(movingFrom: former[0], in: self)
                }
            }
            switch outcome {
            case .notSimple: return try await decided(record, isSimple: true)
            case .codeAlreadyUsed: return .refused(.codeAlreadyUsed)
            case .signedIn(let user, let identity, let reference, let sealedProfile):
                let profile = try await merged(sealedProfile, of: user, identity, record)
                return .signedIn(
                    SignedIn(
                        user: user, identity: identity, isNewUser: false, migrated: false, reference: reference,
                        profile: profile))
            }
        } catch .unavailable(.uncertain) {
            guard var signedIn = try await outcome(of: record) else { throw .unavailable(.uncertain) }
            if let demand = record.appCode?.consent {
                let agreed = try await consents(of: signedIn.user).first { $0.client == record.session.client }?.scope
                signedIn.lacksConsent = demand.isLacking(record.session.scope, agreed: agreed)
            }
            if signedIn.isNewUser {
                tell([
                    .userCreated(
                        signedIn.user, by: signedIn.identity, AuditContext.current?.origin ?? .system,
                        opening: record.session, at: record.now)
                ])
            }
            return .signedIn(signedIn)
        }
    }

    /// Any sign-in, by the transaction that all engines share. Of an unknown subject with nothing to decide, of which
    /// many may come at once, uniqueness decides: nothing that it reads could be other than it found it.
    private func decided(
        _ record: SignInRecord, isSimple: Bool
    ) async throws(RepositoryError) -> SignInOutcome {
        // A logout of the provider's session at the same moment has no row of the user's to meet it at.
        let isKnown =
            !isSimple || record.session.upstreamSession != nil ? true : try await isKnown(record.subject)
        return try await write(
            isKnown ? .serializable : .readCommitted, consuming: record.evidence, record.challenge,
            answer: record.answer(to: .known),
            now: record.now
        ) { [sealer] connection throws(RepositoryError) in
            try SignInTransaction(connection: connection, sealer: sealer, record: record).run()
        }
    }

    /// What the audit trail has once at most of a sign-in, as that which the user came or moved with.
    private static let arrivals = [AuditEvent.Kind.userCreated, .directoryJoined, .identityMigrated]
        .map { "'\($0.rawValue)'" }.joined(separator: ", ")
    private static let opened = Postgres.Statement(
        """
        SELECT users.id, identities.id, reference, profile, origin, (
            SELECT event FROM audit
            WHERE user_id = users.id AND session_id = $1 AND event IN (\(arrivals))
            LIMIT 1)
        FROM sessions JOIN users ON users.id = sessions.user_id JOIN identities ON identities.id = identity_id
        WHERE sessions.id = $1
        FOR UPDATE OF sessions
        """)

    /// What has become of a sign-in of whose commit no answer came. Nobody else can have opened its session.
    ///
    /// The row is locked, which is a commit as well: where there is a standby that commits wait for, it has the session
    /// when this one is done, also if it did not when the first one became visible. Whether the user came with it is
    /// told by the audit trail, which names the session: of another sign-in within the same second the times say the
    /// same.
    ///
    /// - Returns: nil where it has not happened.
    func outcome(of record: SignInRecord) async throws(RepositoryError) -> SignedIn? {
        guard let row = try await Work(self).first(Self.opened, .session(record.session.id)) else { return nil }
        let user = try row.user(0)
        let origin = try row.text(4)
        let arrival = try row.optionalText(5).flatMap(AuditEvent.Kind.init(rawValue:))
        return SignedIn(
            user: user, identity: try row.identity(1),
            isNewUser: arrival == .userCreated
                || arrival == .directoryJoined && origin == Identity.Origin.signIn.rawValue,
            migrated: arrival == .identityMigrated,
            reference: try row.text(2), profile: try await profile(try row.bytes(3), of: user))
    }

    /// The profile with what the provider says now. Few say anything new, and they take a transaction more.
    ///
    /// The user is signed in by now: where that transaction can't be done, they stay so with the profile that is
    /// stored, and the next sign-in brings what is new.
    private func merged(
        _ sealed: [UInt8], of user: UserID, _ identity: IdentityID, _ record: SignInRecord
    ) async throws(RepositoryError) -> Profile {
        let stored = try await profile(sealed, of: user)
        var merged = stored
        guard merged.merge(record.statement) else { return stored }
        let written = try? await write(.serializable) { [sealer] connection throws(RepositoryError) in
            try ProfileMerge(connection: connection, sealer: sealer, record: record).run(of: user, identity: identity)
        }
        return written ?? stored
    }

    func profile(_ sealed: [UInt8], of user: UserID) async throws(RepositoryError) -> Profile {
        let current = try sealer.current
        let encoded: [UInt8]
        do throws(SealingError) {
            encoded = try current.open(sealed, for: .profile(of: user))
        } catch .unknownKey {
            // Another instance has made it, and it is read first.
            return try await read { [sealer] connection throws(RepositoryError) in
                try sealer.profile(sealed, .profile(of: user), connection)
            }
        } catch {
            throw .unavailable(.brokenSeal)
        }
        do throws(EncodedContentError) { return try Profile(encoded: encoded) } catch { throw .unavailable(.corrupt) }
    }
}
