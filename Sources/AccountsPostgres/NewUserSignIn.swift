import Accounts
import AccountsSQL
import Postgres

/// The first sign-in of somebody about whom there is nothing to decide: one statement as well, user, identity and
/// session.
struct NewUserSignIn {
    private static let firstOfParts = 33
    private static let noted = AuditColumn.expressions(from: firstOfParts, user: "made.id", newIdentity: "first.id")
    private static let opened = SessionPart(
        from: firstOfParts + AuditColumn.placeCount, user: "made.id", identity: "first.id", provider: "$15",
        now: "$7::int8")
    // Nothing happens where the subject is known after all, where a key is not the newest any more, under which a row
    // would be missed when all is sealed or hashed anew, or where the code was used. Of two who come with one subject
    // at once, the second meets the unique index, and its statement is undone.
    private static let statement = Postgres.Statement(
        """
        WITH fitting AS MATERIALIZED (
            SELECT 1 WHERE NOT EXISTS (
                    SELECT 1 FROM identities
                    WHERE subject = $1 AND issuer = ANY(array_append(string_to_array($30, ' '), $2))
                )
                AND (SELECT max(number) FROM key_ring) = $8
                AND NOT EXISTS (
                    SELECT 1 FROM not_before
                    WHERE key = ANY(string_to_array($31, ',') || ARRAY[
                            '\(NotBeforeKey.everybody)', '\(NotBeforeKey.providerPrefix)' || $15, $24, $25, $26, $27])
                        AND (at >= $23 OR authenticated_after IS NOT NULL) AND (expires > $28 OR expires IS NULL))
                AND ($9::int8 IS NULL OR (SELECT max(number) FROM secret_keys WHERE purpose = $10) = $9)
        ), held AS (
            \(HeldLine.insert("VALUES ($25), ($26)", from: "fitting", now: "$28"))
        ), passed AS MATERIALIZED (
            SELECT 1 FROM fitting WHERE NOT EXISTS (SELECT 1 FROM held WHERE \(HeldLine.bars("$23")))
        ), code AS (
            INSERT INTO code_uses (slot, hash, owner, state, expires, answer)
            SELECT $32::int8, $3, $4, 1, $5::int8, $29::bytea FROM passed
            WHERE $3::bytea IS NOT NULL AND \(UsedCodeRows.isNoOlder(hash: "$3", owner: "$4", dead: "$6"))
            ON CONFLICT (hash, slot) DO UPDATE SET state = 1, expires = excluded.expires, answer = excluded.answer
            WHERE code_uses.expires <= $6 OR code_uses.state = 0 AND code_uses.owner = excluded.owner
            RETURNING hash
        ), free AS (
            SELECT 1 FROM code UNION ALL SELECT 1 FROM passed WHERE $3::bytea IS NULL
        ), made AS (
            INSERT INTO users (id, reference, profile, created, updated) SELECT $11::int8, $12, $13, $7::int8, $7::int8 FROM free
            RETURNING id
        ), first AS (
            INSERT INTO identities (id, user_id, provider, issuer, subject, origin, linked, last_sign_in, not_before)
            SELECT $14::int8, id, $15, $2, $1, $16, $7::int8, $7::int8, coalesce((SELECT max(at) FROM held), 0) FROM made
            RETURNING id
        ), found AS (
            INSERT INTO contacts (user_id, hash, standing, provider)
            SELECT made.id, given.hash, given.standing, given.provider
            FROM made, (VALUES ($17::bytea, $18::int8, $19::text), ($20::bytea, $21::int8, $22::text))
                AS given (hash, standing, provider)
            WHERE given.hash IS NOT NULL
            ON CONFLICT DO NOTHING
        ), noted AS (
            INSERT INTO audit (\(AuditColumn.names)) SELECT \(noted) FROM made, first
        ), opened AS (
            INSERT INTO sessions (\(opened.names)) SELECT \(opened.expressions)
            FROM made, first
            RETURNING id
        )
        SELECT count(*) FROM opened
        """)
    /// How many the statement has room for; few providers give more than an address and a number.
    private static let mostContacts = 2

    let signIn: SimpleSignIn

    /// - Returns: nil where it is not as simple as it seemed, and nothing has happened.
    func run(in store: PostgresAccounts) async throws(RepositoryError) -> SignedIn? {
        guard case .automatic(let makeReference) = signIn.registration else { return nil }
        let profile = Profile(signIn.statement, own: signIn.own?.attributes ?? Attributes())
        guard let contacts = try contacts(of: profile, store.sealer) else { return nil }
        let (user, identity) = try await store.numbers.next(in: store)
        let reference = makeReference()
        // Before it seals: what is newer than this is noticed by the statement.
        let newestKey = try store.sealer.current.newestKey
        let sealed = try store.sealer.sealing(profile, .profile(of: user))
        let keys = store.knownSecretKeys.all
        guard let subjectKey = keys.last(where: { $0.purpose == .directory })?.bytes else { return nil }
        let event = NewAuditEvent.userCreated(
            user, by: identity, AuditContext.current?.origin ?? .system, opening: signIn.session, at: signIn.now)
        let command = Command(
            Self.statement,
            [
                .text(signIn.subject.value), .text(signIn.subject.issuer), .optional(signIn.code?.hash),
                .optional(signIn.code?.owner), .optional(signIn.code?.expiresAt),
                .integer(signIn.now - UsedCodeRows.graceSeconds), .integer(signIn.now), .integer(newestKey),
                contacts.key, .text(SecretKey.Purpose.contact.rawValue), .integer(user.rawValue), .text(reference),
                .bytes(sealed), .integer(identity.rawValue), .text(signIn.provider),
                .text(Identity.Origin.signIn.rawValue),
            ] + contacts.rows + lines(try store.sealer.current, subjectKey)
                + former(store.settings.formerIssuers, try store.sealer.current, subjectKey)
                + [.integer(signIn.slot.number)]
                + AuditColumn.values(of: event).map(Value.init)
                + SessionPart.values(of: signIn.session).map(Value.init))
        do throws(PostgresError) {
            guard try await store.alone(command, .durable).first?.integer(0) == 1 else { return nil }
        } catch .refused(.uniqueViolation) {
            return nil
        } catch {
            throw RepositoryError(error)
        }
        store.tell([event])
        return SignedIn(
            user: user, identity: identity, isNewUser: true, migrated: false, reference: reference, profile: profile)
    }

    /// What is compared with the lines in time.
    private func lines(_ sealer: any Sealer, _ key: [UInt8]) -> [Value] {
        let subject = keys(of: signIn.subject, sealer, key).map(Value.text)
        return [
            .integer(signIn.leastLine), .optional(signIn.session.app.map(NotBeforeKey.app)),
            .optional(signIn.session.upstreamSession.map(NotBeforeKey.session)),
        ] + subject + [.integer(signIn.now), signIn.answer(.new)]
    }

    /// The names that the issuer had before, and what is compared with the lines in time under them.
    private func former(_ issuers: FormerIssuers, _ sealer: any Sealer, _ key: [UInt8]) -> [Value] {
        let subjects = issuers.subjects(signIn.subject)
        let hashed = subjects.flatMap { keys(of: $0, sealer, key) }
        return [.text(subjects.map(\.issuer).joined(separator: " ")), .text(hashed.joined(separator: ","))]
    }

    private func keys(of subject: Subject, _ sealer: any Sealer, _ key: [UInt8]) -> [String] {
        [NotBeforeKey.subject, NotBeforeKey.locked].map {
            NotBeforeKey.subject(subject, $0, under: key, sealer)
        }
    }

    /// The rows by which operators find the user, and the number of the key that they are hashed under.
    ///
    /// - Returns: nil where there are more than the statement takes.
    private func contacts(
        of profile: Profile, _ sealer: StoreSealer
    ) throws(RepositoryError) -> (key: Value, rows: [Value])? {
        let none: [Value] = [.null, .null, .null]
        let given = profile.contacts
        guard !given.isEmpty else { return (.null, none + none) }
        guard let key = sealer.newestContactKey else { return nil }
        let rows = try ContactRows.rows(of: given, under: key, sealer)
        guard rows.count <= Self.mostContacts else { return nil }
        var values = rows.flatMap { [Value.bytes($0.hash), .integer($0.standing.rawValue), .text($0.provider)] }
        for _ in rows.count..<Self.mostContacts { values += none }
        return (.integer(key.number), values)
    }
}
