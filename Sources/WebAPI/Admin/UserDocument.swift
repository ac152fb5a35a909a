public import Accounts
public import JSON
public import SignIn
import Syntax

/// What operators see of users, as JSON; the same over HTTP and on the command line. Times are seconds since 1970. A
/// member that has no value is absent, and never null, which many clients can't read.
public enum UserDocument {
    /// How a user's subjects are told.
    public enum SubjectDisclosure: Sendable {
        /// By an opaque reference, which is good for nothing else: a subject leaves the server nowhere.
        case asReferences
        /// As they are: for moving the users to another backend, which could recognise nobody without them.
        case asTheyAre
    }

    /// A line of a list.
    public static func summary(_ user: UserSummary) -> JSONValue {
        present([
            "user_id": .integer(user.id.rawValue), "created_at": .integer(user.createdAt),
            "updated_at": .integer(user.updatedAt), "identities": .integer(Int64(user.identities)),
            "last_sign_in_at": optional(user.lastSignInAt),
        ])
    }

    /// Who was found by an address or a number.
    ///
    /// - Parameters:
    ///   - value: by which.
    ///   - providers: whose word counts.
    public static func match(
        _ match: ContactMatch, by contact: Contact, _ value: String, at providers: ProviderRegistry
    ) -> JSONValue {
        let givers = match.givers.map { giver in
            JSONValue.object(JSONObject(members(of: GivenContact(contact, value, by: giver), in: nil, at: providers)))
        }
        return .object(
            JSONObject((summary(match.user).object?.members ?? []) + [("matches", .array(givers))]))
    }

    /// A user without anything personal.
    public static func overview(_ record: UserRecord) -> JSONValue {
        present([
            "user_id": .integer(record.user.id.rawValue), "reference": .string(record.user.reference),
            "created_at": .integer(record.user.createdAt), "updated_at": .integer(record.user.updatedAt),
            "lock": record.lock.map(lock) ?? .null,
            "identities": .array(record.identities.map(identity)),
            "sessions": .array(record.sessions.map { .object(JSONObject(session($0))) }),
        ])
    }

    /// That nobody signs in as the user.
    private static func lock(_ lock: Lock) -> JSONValue {
        present([
            "cause": .string(lock.cause.rawValue), "reason": optional(lock.reason), "since": .integer(lock.since),
            "until": optional(lock.until),
        ])
    }

    /// Everything that is kept about a user. With the subjects as they are, it is a line that `store import` takes.
    ///
    /// - Parameter providers: whose word counts.
    public static func export(
        _ record: UserRecord, subjects: SubjectDisclosure, at providers: ProviderRegistry
    ) -> JSONValue {
        let profile = record.user.profile
        return present([
            "user_id": .integer(record.user.id.rawValue), "reference": .string(record.user.reference),
            "created_at": .integer(record.user.createdAt), "updated_at": .integer(record.user.updatedAt),
            "lock": record.lock.map(lock) ?? .null,
            "profile": attributes(record.user.profile.carrier), "own": attributes(record.user.profile.own),
            "contacts": .array(profile.contacts.map { contact($0, in: profile, at: providers) }),
            "attributes": .array(profile.given.map { given($0) }),
            "claims": .object(
                JSONObject(record.user.profile.claimsByProvider.map { ($0.provider, typed($0.claims)) })),
            "identities": .array(
                record.identities.map { identity in
                    var members = Self.members(identity)
                    switch subjects {
                    case .asReferences:
                        members.append(("subject_reference", .string("\(record.user.reference).\(identity.id)")))
                    case .asTheyAre: members.append(("subject", .string(identity.subject.value)))
                    }
                    return .object(JSONObject(members))
                }),
            "sessions": .array(
                record.sessions.map { session in
                    let more: [JSONObject.Member] = [
                        ("user_agent", optional(session.userAgent)), ("acr", optional(session.authentication.acr)),
                        ("amr", .array(session.authentication.amr.map { .string($0) })),
                        ("auth_time", optional(session.authentication.time)),
                    ]
                    return present(.object(JSONObject(Self.session(session) + more)))
                }),
            "consents": .array(
                record.consents.map { consent in
                    .object(
                        JSONObject([
                            ("client_id", .string(consent.client)), ("scope", .string(consent.scope)),
                            ("agreed_at", .integer(consent.agreedAt)),
                        ]))
                }),
            "receipts": .array(record.receipts.map(receipt)), "grants": .array(record.grants.map(grant)),
            "audit": .array(record.auditEvents.map(event)),
            "tables": record.tables.isEmpty
                ? .null : .object(JSONObject(record.tables.map { ($0.table, .array(rows($0))) })),
        ])
    }

    /// Rows of a table that a wing has brought, by the names of its columns.
    private static func rows(_ owned: OwnedRows) -> [JSONValue] {
        owned.rows.map { row in
            .object(
                JSONObject(
                    zip(owned.columns, row).compactMap { column, cell in
                        switch cell {
                        case .none: nil
                        case .integer(let number): (column.name, .integer(number))
                        case .text(let text): (column.name, .string(text))
                        case .bytes(let bytes): (column.name, .string(Base64URL.encode(bytes)))
                        }
                    }))
        }
    }

    /// That a provider's tokens are kept, and never the tokens: their holder is the user at that provider.
    private static func grant(_ grant: ProviderGrant) -> JSONValue {
        present([
            "identity_id": .integer(grant.identity.rawValue), "obtained_at": .integer(grant.obtainedAt),
            "has_tokens": .boolean(grant.tokens != nil), "expires_at": optional(grant.tokens?.expiresAt),
            "scope": optional(grant.tokens?.scope),
        ])
    }

    /// An identity without its subject.
    public static func identity(_ identity: Identity) -> JSONValue { .object(JSONObject(members(identity))) }

    public static func event(_ event: AuditEvent) -> JSONValue {
        present([
            "id": .integer(event.id), "at": .integer(event.at), "event": .string(event.kind.rawValue),
            "user_id": optional(event.user?.rawValue), "old_identity_id": optional(event.oldIdentity?.rawValue),
            "new_identity_id": optional(event.newIdentity?.rawValue),
            "fields": event.fields.isEmpty ? .null : .array(event.fields.map { .string($0) }),
            "actor": optional(event.origin?.actor.text), "app": optional(event.origin?.app),
            "session_id": optional(event.origin?.session?.description),
            "request_id": optional(event.origin?.request), "reason": optional(event.origin?.reason),
            "count": optional(event.count),
        ])
    }

    private static func members(_ identity: Identity) -> [JSONObject.Member] {
        [
            ("identity_id", .integer(identity.id.rawValue)), ("provider", .string(identity.provider)),
            ("issuer", .string(identity.subject.issuer)), ("origin", .string(identity.origin.rawValue)),
            ("linked_at", .integer(identity.linkedAt)),
            // 0 is that of an imported one nobody has signed in by yet.
            ("last_sign_in_at", optional(identity.lastSignInAt == 0 ? nil : identity.lastSignInAt)),
            // nil where the provider has not said that mail to its address does not arrive.
            ("email_stopped_at", optional(identity.emailStoppedAt)),
            // By the user's lock, or the provider's own word; for good, or until a time.
            ("locked", identity.lockedUntil == 0 ? .null : true),
            ("locked_until", [0, .max].contains(identity.lockedUntil) ? .null : .integer(identity.lockedUntil)),
        ].filter { !$0.value.isNull }
    }

    private static func session(_ session: Session) -> [JSONObject.Member] {
        [
            ("session_id", .string(session.id.description)), ("provider", .string(session.provider)),
            ("client_id", .string(session.client)), ("created_at", .integer(session.createdAt)),
            ("expires_at", .integer(session.expiresAt)),
        ]
    }

    private static func receipt(_ receipt: Receipt) -> JSONValue {
        present([
            "receipt_id": .string(receipt.id), "session_id": .string(receipt.session.description),
            "context_sha256": .string(Hexadecimal.encode(receipt.contextHash.bytes)), "nonce": optional(receipt.nonce),
            "acr": optional(receipt.authentication.acr),
            "amr": .array(receipt.authentication.amr.map { .string($0) }),
            "auth_time": optional(receipt.authentication.time), "provider": .string(receipt.provider),
            "client_id": .string(receipt.client), "created_at": .integer(receipt.createdAt),
        ])
    }

    /// An attribute that a provider has given, without its value, which stands in the profile: whose word it is, since
    /// when, and how well known.
    private static func given(_ attribute: GivenAttribute) -> JSONValue {
        present([
            "attribute": .string(attribute.name), "provider": optional(attribute.provider),
            "verified": .boolean(attribute.assurance?.isVerified ?? false),
            "level": optional(attribute.assurance?.level.map { Int64($0) }), "at": optional(attribute.since),
        ])
    }

    /// An address or a number, and whose word it is.
    private static func contact(
        _ given: GivenContact, in profile: Profile, at providers: ProviderRegistry
    ) -> JSONValue {
        .object(
            JSONObject(
                [("attribute", .string(given.contact.rawValue)), ("value", .string(given.value))]
                    + members(of: given, in: profile, at: providers)))
    }

    /// Whose word an address or a number is: a provider's, which says or does not say that it has verified it, and
    /// whose word counts towards apps or not; or nobody's but the user's.
    private static func members(
        of given: GivenContact, in profile: Profile?, at providers: ProviderRegistry
    ) -> [JSONObject.Member] {
        switch given.giver {
        case .provider(let name, let isVerified):
            var members: [JSONObject.Member] = []
            if let name { members.append(("provider", .string(name))) }
            members.append(("verified", .boolean(isVerified)))
            if let counts = providers.counts(given, in: profile) { members.append(("counts", .boolean(counts))) }
            return members + [("own", false)]
        case .user: return [("verified", false), ("own", true)]
        }
    }

    private static func attributes(_ attributes: Attributes) -> JSONValue {
        let texts = attributes.members.map { (name: $0.name, value: JSONValue.string($0.value)) }
        return .object(JSONObject(texts + (typed(attributes.objects).object?.members ?? [])))
    }

    private static func typed(_ claims: TypedClaims) -> JSONValue {
        .object(
            JSONObject(claims.members.map { ($0.name, (try? JSONValue(parsing: Array($0.json.utf8))) ?? .null) }))
    }

    /// An object with those of its members that have a value.
    static func present(_ object: JSONValue) -> JSONValue {
        .object(JSONObject((object.object?.members ?? []).filter { !$0.value.isNull }))
    }

    private static func optional(_ number: Int64?) -> JSONValue { number.map { .integer($0) } ?? .null }
    private static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
