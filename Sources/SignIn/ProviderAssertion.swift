package import Accounts
package import JSON
package import Providers
import Syntax

/// What a provider said about a user with one sign-in: the claims of the ID token, and those of userinfo.
///
/// Attributes are taken by an allow-list, flat (`"email": "…"`), nested (`"email": {"value": "…"}`) or mixed; further
/// claims by the names that the configuration has. The ID token comes first and userinfo fills the gaps: both are
/// signed or fetched from the same issuer, and the ID token is the one whose rules were all checked.
package struct ProviderAssertion {
    /// What one provider may make us store about one user.
    static let maximumValueBytes = 1024
    static let maximumObjectBytes = 4096
    static let maximumClaimBytes = 4096
    static let maximumClaimsBytes = 16_384

    package private(set) var attributes = Attributes()
    package private(set) var claims = TypedClaims()
    /// What names the person beside the subject.
    var personKey: PersonKey?
    /// What was said of whether an address or a number is verified; only a yes is kept.
    private var isVerified: [Contact: Bool] = [:]
    private let subject: String
    /// Whether no attribute at all can have the subject for its value: behind ZenKey it is no name that anybody has for
    /// the user. Elsewhere some call a user by an address or a number of theirs, and that is an attribute all the same.
    private let isSubjectPrivate: Bool

    /// Whether the provider says what the user is called.
    var namesPerson: Bool { attributes.namesPerson }

    /// - Parameters:
    ///   - subject: the verified one. A value that equals it is nobody's attribute and never leaves this server, but
    ///     for an address or a number that the user is called by there.
    ///   - isSubjectPrivate: whether those are left out too.
    ///   - names: the attributes of the provider's profile.
    ///   - furtherClaims: the names of what is handed on besides.
    ///   - keyClaim: the claim that has the cross-client key; nil where none is looked at.
    init(
        idToken: JSONValue, userinfo: JSONValue?, subject: String, isSubjectPrivate: Bool, names: AttributeNames,
        furtherClaims: [String], keyClaim: String? = nil
    ) {
        (self.subject, self.isSubjectPrivate) = (subject, isSubjectPrivate)
        if let claims = idToken.object { read(claims, names, furtherClaims) }
        if let claims = userinfo?.object { read(claims, names, furtherClaims) }
        if let keyClaim {
            personKey = CrossClientKey.hash(of: keyClaim, idToken: idToken, userinfo: userinfo)
                .map { .crossClient($0) }
        }
    }

    /// What a sign-in brings, with whatever else the provider names the person by.
    ///
    /// - Parameter userinfo: its claims, whose subject is the ID token's; nil where an ID token is all there is.
    init(_ idToken: IDToken, userinfo: JSONValue?, from provider: Provider) {
        let configuration = provider.configuration
        self.init(
            idToken: idToken.claims, userinfo: userinfo, subject: idToken.subject,
            isSubjectPrivate: provider.takesPortTokens, names: configuration.attributeNames,
            furtherClaims: configuration.claims,
            keyClaim: configuration.crossClientKey)
        if let directory = configuration.userAPI {
            personKey = DirectoryKey.of(
                directory, idToken: idToken.claims, userinfo: userinfo, subject: idToken.subject)
        }
        if configuration.takesTransfers,
            let former = TransferKey.of(idToken.claims, at: provider.currentName(of: idToken.issuer))
        {
            personKey = former
        }
    }

    /// What userinfo alone brings.
    ///
    /// - Parameter subject: whose it is, verified.
    package init(userinfo: JSONValue?, about subject: String, from provider: Provider) {
        self.init(
            idToken: .object(JSONObject()), userinfo: userinfo, subject: subject,
            isSubjectPrivate: provider.takesPortTokens, names: provider.configuration.attributeNames,
            furtherClaims: provider.configuration.claims)
    }

    private mutating func read(_ document: JSONObject, _ names: AttributeNames, _ furtherClaims: [String]) {
        readAttributes(document, names)
        if !furtherClaims.isEmpty { readClaims(document, furtherClaims) }
    }

    /// Those of a shape nobody can use, or too long, are left out: each is optional, and no odd one may keep a user
    /// from signing in.
    private mutating func readAttributes(_ document: JSONObject, _ names: AttributeNames) {
        let members = document.members
        // By index: most are not taken, and need not be copied to be passed over.
        for index in members.indices where names.contains(members[index].name) {
            let member = members[index]
            switch member.name {
            case "email": readContact(.email, member.value, in: document, names)
            case "phone_number", "phone": readContact(.phoneNumber, member.value, in: document, names)
            case "email_verified", "phone_number_verified": continue
            case "name":
                guard let name = member.value.object else { fallthrough }
                let assurance = names.haveLevels ? Self.assurance(name["verified"], isLevel: true) : nil
                set("name", name["value"], assurance)
                set("given_name", name["given_name"], assurance)
                set("family_name", name["family_name"], assurance)
            default:
                set(member.name, member.value, names.haveLevels ? assurance(of: member, in: document) : nil)
            }
        }
    }

    /// Whether a value is verified is taken from the document that has the value, or from one that has the same.
    private mutating func readContact(
        _ contact: Contact, _ value: JSONValue, in document: JSONObject, _ names: AttributeNames
    ) {
        guard let text = text(of: value, named: contact.rawValue) else { return }
        if let known = attributes[contact.rawValue] {
            guard known == text else { return }
        } else {
            attributes[contact.rawValue] = text
        }
        guard isVerified[contact] == nil,
            let assurance = Self.assurance(
                value["verified"] ?? document[contact.verifiedName], isLevel: names.haveLevels)
        else { return }
        isVerified[contact] = assurance.isVerified
        if assurance.isVerified { attributes[contact.verifiedName] = "true" }
        if assurance.level != nil { attributes.assure(contact.rawValue, assurance) }
    }

    /// - Parameters:
    ///   - sent: nothing is decided by it, so that what was repaired in it is as good as the rest.
    ///   - assurance: how well it is known, which is believed of what needed no repair.
    private mutating func set(_ name: String, _ sent: JSONValue?, _ assurance: Assurance?) {
        // What came before says the same, or comes first.
        guard attributes[name] == nil, attributes.objects[name] == nil, let sent, let value = sent.shown else { return }
        set(name, to: value)
        guard let assurance, attributes[name] != nil || attributes.objects[name] != nil, !sent.hasDoubt else { return }
        attributes.assure(name, assurance)
    }

    private mutating func set(_ name: String, to value: JSONValue) {
        if let text = text(of: value, named: name) { return attributes[name] = text }
        guard AttributeRule.mayHaveParts(name), value.isVisible, let object = value.object,
            let parts = withoutSubject(.object(object["value"]?.object ?? object)),
            parts.object?.members.isEmpty == false
        else { return }
        let json = parts.serialized
        guard json.count <= Self.maximumObjectBytes else { return }
        attributes.setObject(name, json: String(decoding: json, as: UTF8.self))
    }

    private mutating func readClaims(_ document: JSONObject, _ names: [String]) {
        for name in names where claims[name] == nil {
            // Apps may decide by it.
            guard let value = document[name], !value.isNull, !value.hasDoubt, value.isVisible,
                let value = withoutSubject(value)
            else {
                continue
            }
            let json = value.serialized
            let total = claims.members.reduce(0) { $0 + $1.json.utf8.count }
            guard json.count <= Self.maximumClaimBytes, total + json.count <= Self.maximumClaimsBytes else { continue }
            claims[name] = String(decoding: json, as: UTF8.self)
        }
    }

    /// - Returns: nil for what is no text, empty, too long, the subject, or nothing that the attribute can be.
    private func text(of value: JSONValue, named name: String) -> String? {
        let text: String
        switch value {
        case .string(let string): text = string
        case .integer(let number): text = String(number)
        case .boolean(let flag): text = flag ? "true" : "false"
        case .object(let object):
            guard let value = object["value"], value.object == nil else { return nil }
            return self.text(of: value, named: name)
        case .null, .number, .array, .doubtful: return nil
        }
        guard !text.isEmpty, text.utf8.count <= Self.maximumValueBytes,
            text != subject || !isSubjectPrivate && Contact(rawValue: name) != nil,
            AttributeRule.fault(of: text, named: name) == nil
        else { return nil }
        return text
    }

    /// A value without the subject, however deep it lies.
    ///
    /// - Returns: nil for the subject itself.
    private func withoutSubject(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text): text == subject ? nil : value
        case .integer(let number): String(number) == subject ? nil : value
        case .number(let number): "\(number)" == subject ? nil : value
        case .array(let elements): .array(elements.compactMap(withoutSubject))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.compactMap { member in
                        guard member.name != subject, let value = withoutSubject(member.value) else { return nil }
                        return (member.name, value)
                    }))
        case .null, .boolean, .doubtful: value
        }
    }

    /// What is said of whether an attribute that is no contact is verified: within it, or beside it.
    private func assurance(of member: JSONObject.Member, in document: JSONObject) -> Assurance? {
        if member.value.object != nil { return Self.assurance(member.value["verified"], isLevel: true) }
        return switch member.name {
        case "name", "postal_code", "birthdate", "address":
            Self.assurance(document[member.name + "_verified"], isLevel: true)
        default: nil
        }
    }

    /// Some providers write a flag as a text, and a number too.
    ///
    /// - Parameter isLevel: whether it may be a level. Elsewhere than at ZenKey a number says nothing.
    /// - Returns: nil for anything else: a fraction, a negative number, one that no level is.
    private static func assurance(_ value: JSONValue?, isLevel: Bool) -> Assurance? {
        switch value {
        case .boolean(let flag): .said(isVerified: flag)
        case .string("true"): .said(isVerified: true)
        case .string("false"): .said(isVerified: false)
        case .integer(let number) where isLevel: level(number)
        case .string(let text) where isLevel && text.utf8.allSatisfy(\.isDigit): Int64(text).flatMap(level)
        default: nil
        }
    }

    private static func level(_ number: Int64) -> Assurance? {
        (0...Int64(Assurance.maximumLevel)).contains(number) ? .level(Int(number)) : nil
    }
}

extension ProviderConfiguration {
    /// The attributes that it has.
    var attributeNames: AttributeNames {
        isOfCarriers ? .zenkey : emailTrust.takesHostedDomain ? .google : .openid
    }
}
