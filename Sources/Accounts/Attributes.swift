/// What somebody says about a user, as named texts in the order they came: the claims of OpenID Connect Core §5.1 by
/// their names there, and whatever else a carrier sends.
///
/// All of it is personal, so printing or dumping it shows nothing.
public struct Attributes: Sendable {
    /// One attribute.
    public struct Member: Sendable {
        public let name: String
        public internal(set) var value: String
    }

    /// As many as fit into the memory that the first one gets.
    private static let usualCount = 8

    public private(set) var members: [Member]
    /// Attributes with parts of their own, such as `address` (OpenID Connect Core §5.1.1). No name is in both lists.
    public private(set) var objects = TypedClaims()
    /// How well attributes are known, where more than ``Contact/verifiedName`` says it. Of a provider's statement only:
    /// a profile keeps it with the provider's word.
    private var assurances: [(name: String, assurance: Assurance)] = []

    public init() {
        members = []
    }

    /// Sets an attribute that has parts, and takes away a text of that name; nil takes the attribute away.
    public mutating func setObject(_ name: String, json: String?) {
        objects[name] = json
        if json != nil { self[name] = nil }
    }

    /// How well its source says that it knows an attribute; nil where it says nothing.
    public func assurance(of name: String) -> Assurance? {
        for known in assurances where known.name == name { return known.assurance }
        guard let contact = Contact(rawValue: name), self[contact.verifiedName] == "true" else { return nil }
        return .said(isVerified: true)
    }

    /// Tells how well an attribute is known; the first time counts.
    public mutating func assure(_ name: String, _ assurance: Assurance) {
        guard !assurances.contains(where: { $0.name == name }) else { return }
        assurances.append((name, assurance))
    }

    /// Tells it from what else may be said.
    var fingerprint: Fingerprint {
        var fingerprint = Fingerprint()
        for member in members {
            fingerprint.add(member.name)
            fingerprint.add(member.value)
        }
        for member in objects.members {
            fingerprint.add(member.name)
            fingerprint.add(member.json)
        }
        for known in assurances {
            fingerprint.add(known.name)
            fingerprint.add(known.assurance.text)
        }
        return fingerprint
    }

    /// Whether there is a name in it by which a person is called, or a part of one.
    public var namesPerson: Bool { Profile.namesOfPerson.contains { self[$0] != nil } }

    /// Whether both have the same attributes in the same order: what `==` tells, too, with less ado.
    func isExactly(_ other: Attributes) -> Bool {
        guard members.count == other.members.count, objects == other.objects else { return false }
        for index in members.indices
        where members[index].value != other.members[index].value || members[index].name != other.members[index].name {
            return false
        }
        return true
    }

    /// The member of that name. An empty text says nothing, so setting one removes the member, as nil does.
    public subscript(name: String) -> String? {
        get {
            let count = name.utf8.count
            for index in members.indices where members[index].name.utf8.count == count && members[index].name == name {
                return members[index].value
            }
            return nil
        }
        set {
            let count = name.utf8.count
            let index = members.firstIndex { $0.name.utf8.count == count && $0.name == name }
            guard let newValue, !newValue.isEmpty else {
                if let index { members.remove(at: index) }
                return
            }
            if let index { return members[index].value = newValue }
            if members.isEmpty { members.reserveCapacity(Self.usualCount) }
            if !objects.isEmpty { objects[name] = nil }
            members.append(Member(name: name, value: newValue))
        }
    }

    public var isEmpty: Bool { members.isEmpty && objects.isEmpty }
}

extension Attributes {
    public var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    public var givenName: String? {
        get { self["given_name"] }
        set { self["given_name"] = newValue }
    }
    public var familyName: String? {
        get { self["family_name"] }
        set { self["family_name"] = newValue }
    }
    public var email: String? {
        get { self["email"] }
        set { self["email"] = newValue }
    }
    public var phoneNumber: String? {
        get { self["phone_number"] }
        set { self["phone_number"] = newValue }
    }
    public var postalCode: String? {
        get { self["postal_code"] }
        set { self["postal_code"] = newValue }
    }
}

extension Attributes: Equatable, ExpressibleByDictionaryLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public static func == (left: Attributes, right: Attributes) -> Bool {
        left.members.elementsEqual(right.members) { $0.name == $1.name && $0.value == $1.value }
            && left.objects == right.objects
            && left.assurances.elementsEqual(right.assurances) { $0.name == $1.name && $0.assurance == $1.assurance }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The attributes that are taken from a provider, by name. What else it sends is not stored and not handed on, unless
/// the configuration asks for it by name: a provider may say more than its operator thinks, such as numbers by which a
/// person is found elsewhere.
public struct AttributeNames: Sendable {
    /// By their length, which tells most names apart and is at hand; hashing each claim of each sign-in would cost
    /// more.
    private let byLength: [[String]]
    /// Whether any attribute can have a `verified`, and that can be a level.
    public let haveLevels: Bool

    public init(_ names: [String], haveLevels: Bool = false) {
        self.haveLevels = haveLevels
        var byLength = [[String]](repeating: [], count: (names.map(\.utf8.count).max() ?? 0) + 1)
        for name in Set(names) { byLength[name.utf8.count].append(name) }
        self.byLength = byLength
    }

    public func subtracting(_ names: [String]) -> AttributeNames {
        AttributeNames(byLength.joined().filter { !names.contains($0) })
    }

    public func contains(_ name: String) -> Bool {
        let count = name.utf8.count
        guard count < byLength.count else { return false }
        for known in byLength[count] where known == name { return true }
        return false
    }

    /// The standard claims of OpenID Connect Core §5.1, but for `sub`.
    public static let openid = AttributeNames(standardClaims)
    /// The same with what Google says of an address that it keeps for an organization.
    public static let google = AttributeNames(standardClaims + [Profile.hostedDomainName])
    /// What ZenKey's carriers send, by the names of both versions of their userinfo.
    public static let zenkey = AttributeNames(carrierAttributes, haveLevels: true)
    /// What any provider can have given.
    public static let any = AttributeNames(standardClaims + carrierAttributes)

    private static let standardClaims = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
        "phone_number_verified", "address", "updated_at",
    ]
    private static let carrierAttributes = [
        "name", "given_name", "family_name", "middle_name", "email", "email_verified", "postal_code", "phone",
        "phone_number", "phone_number_verified", "birthdate", "picture", "address", "locale", "zoneinfo",
        "last_4_social", "proofing", "isAdult18", "isAdult21", "isOver13",
    ]
}

/// How somebody can be reached, and with it what accounts elsewhere are found by. Somebody who could set such a value
/// for another person could be taken for that person, so what a provider gave is told apart from what users say
/// themselves.
///
/// The raw value is the attribute's name (OpenID Connect Core §5.1).
public enum Contact: String, Sendable, CaseIterable {
    case email
    case phoneNumber = "phone_number"

    /// The attribute in which a provider says that it has verified this one.
    public var verifiedName: String {
        switch self {
        case .email: "email_verified"
        case .phoneNumber: "phone_number_verified"
        }
    }
}
