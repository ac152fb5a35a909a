import Accounts
import Composition
import JOSE
import JSON
import Providers
import Syntax

/// Reads a user from a line of an import:
/// `{"identities":[{"provider","issuer","subject"}…],"profile":{…},"own":{…},"created_at":…}`.
///
/// What an export of ours has besides is passed over; any other member would be lost, and is refused.
struct ImportLine {
    private static let members: Set<String> = ["identities", "profile", "own", "created_at", "lock"]
    private static let exported: Set<String> = [
        "user_id", "reference", "updated_at", "sessions", "consents", "receipts", "grants", "audit",
        // What providers say now comes with the next sign-in.
        "contacts", "claims", "attributes",
        // What wings have kept stays with the service that keeps it.
        "tables",
    ]
    private static let maximumIdentities = 100
    private static let maximumAttributes = 100

    private let providers: [String: Provider]
    /// Seconds since 1970.
    private let now: Int64

    init(providers: [Provider], now: Int64) {
        self.providers = Dictionary(providers.map { ($0.configuration.name, $0) }) { first, _ in first }
        self.now = now
    }

    /// - Parameters:
    ///   - bytes: the line without its end.
    ///   - reference: the random reference for the case that the user is new.
    func user(_ bytes: [UInt8], reference: String) throws(ImportError) -> ImportedUser {
        let object = try Self.object(bytes)
        for member in object.members where !Self.members.contains(member.name) && !Self.exported.contains(member.name) {
            throw .unknownMember
        }
        // Somebody could be meant by either.
        if case .doubtful = object["identities"] { throw .duplicateMember }
        let entries = object["identities"]?.array ?? []
        guard !entries.isEmpty else { throw .noIdentities }
        guard entries.count <= Self.maximumIdentities else { throw .tooManyIdentities(most: Self.maximumIdentities) }
        var identities: [ImportedUser.Identity] = []
        for (index, entry) in entries.enumerated() { identities.append(try identity(entry, number: index + 1)) }
        return ImportedUser(
            reference: reference,
            profile: Profile(
                carrier: try Self.attributes(object["profile"], "profile", mayHaveParts: true),
                own: try Self.attributes(object["own"], "own", mayHaveParts: false)),
            createdAt: try createdAt(object["created_at"]), identities: identities, lock: try lock(object["lock"]))
    }

    /// As an export of ours has it.
    private func lock(_ value: JSONValue?) throws(ImportError) -> Lock? {
        guard let value, !value.isNull else { return nil }
        let until = value["until"]
        guard value.object != nil, until == nil || until?.integer != nil else { throw .lock }
        let lock = Lock(cause: .imported, reason: nil, since: now, until: until?.integer)
        return lock.holds(now: now) ? lock : nil
    }

    private static func object(_ bytes: [UInt8]) throws(ImportError) -> JSONObject {
        guard let object = try value(bytes).object else { throw .notAnObject }
        return object
    }

    /// By what a user is found, or kept out, in a record of any format.
    private static let deciding: Set<String> = [
        "user_id", "provider", "provider_id", "lock", "blocked", "disabled", "enabled", "created_at", "createdAt",
        "createdTimestamp", "credentials", "multifactor", "mfaInfo", "passwordHash", "email", "phone_number",
    ]

    /// - Returns: the JSON that a line, or an element, of any format is. A name that is no Unicode is repaired.
    static func value(_ bytes: [UInt8]) throws(ImportError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(repairing: bytes.span, strict: deciding)
        } catch {
            switch error {
            case .syntax(let offset): throw .notJSON(offset: offset)
            case .duplicateMember: throw .duplicateMember
            case .doubtfulMember(let name): throw .doubtfulMember(name)
            case .tooDeep: throw .tooDeep
            case .invalidText: throw .notText
            }
        }
    }

    private func identity(_ entry: JSONValue, number: Int) throws(ImportError) -> ImportedUser.Identity {
        func fault(_ fault: ImportError.Identity) -> ImportError { .identity(number, fault) }
        guard entry.object != nil else { throw fault(.notAnObject) }
        guard let provider = entry["provider"]?.string.flatMap({ providers[$0] }) else { throw fault(.provider) }
        guard let issuer = entry["issuer"]?.string, provider.mayHaveIssuedAs(issuer) else { throw fault(.issuer) }
        guard let value = entry["subject"]?.string else {
            throw fault(entry["subject_reference"] == nil ? .subject : .exportedWithoutSubjects)
        }
        guard let subject = Subject.given(issuer: provider.currentName(of: issuer), value: value) else {
            throw fault(.subject)
        }
        var emailStoppedAt: Int64?
        if let stopped = entry["email_stopped_at"], !stopped.isNull {
            guard let time = stopped.integer, (0...now).contains(time) else { throw fault(.emailStopped) }
            emailStoppedAt = time
        }
        return ImportedUser.Identity(
            provider: provider.configuration.name, subject: subject, emailStoppedAt: emailStoppedAt)
    }

    /// - Parameter mayHaveParts: whether an attribute may be an object, as an address is.
    private static func attributes(
        _ value: JSONValue?, _ name: String, mayHaveParts: Bool
    ) throws(ImportError) -> Attributes {
        var attributes = Attributes()
        guard let value, !value.isNull else { return attributes }
        guard let object = value.object else { throw .attributes(name) }
        guard object.members.count <= maximumAttributes else { throw .tooManyAttributes(name, most: maximumAttributes) }
        for member in object.members {
            guard !member.name.isEmpty, VisibleText.fault(of: member.name) == nil else { throw .attributes(name) }
            // Accounts are found by these, and nobody's eyes alone read them.
            let isDeciding = Contact.allCases.contains { [$0.rawValue, $0.verifiedName].contains(member.name) }
            guard let value = isDeciding && member.value.hasDoubt ? nil : member.value.shown else {
                throw .attribute(name, member.name, "is there twice, or its text is no Unicode")
            }
            let text: String
            switch value {
            case .null: continue
            case .string(let string): text = string
            // Other backends keep postal codes and "verified" so.
            case .integer(let number): text = String(number)
            case .boolean(let flag): text = String(flag)
            case .object where mayHaveParts && AttributeRule.mayHaveParts(member.name):
                guard value.isVisible else {
                    throw .attribute(name, member.name, "has characters that nobody can see, or that set a direction")
                }
                attributes.setObject(member.name, json: String(decoding: value.serialized, as: UTF8.self))
                continue
            case .number, .array, .object, .doubtful: throw .attributes(name)
            }
            if let fault = AttributeRule.fault(of: text, named: member.name) {
                throw .attribute(name, member.name, fault)
            }
            attributes[member.name] = text
        }
        return attributes
    }

    private func createdAt(_ value: JSONValue?) throws(ImportError) -> Int64 {
        guard let value, !value.isNull else { return now }
        guard let time = NumericDate(value)?.seconds, (0...now).contains(time) else { throw .createdAt }
        return time
    }
}
