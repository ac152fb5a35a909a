internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// What users say about themselves: which attributes, and how long they may be.
enum ProfileFields {
    static let names = [
        "username", "name", "given_name", "family_name", "nickname", "email", "phone_number", "postal_code",
        "birthdate", "locale", "zoneinfo", "picture",
    ]
    static let maximumValueBytes = 1024

    /// Reads the changes a request asks for: a JSON object in which null takes a value away (RFC 7396), or a form in
    /// which an empty value does. Fields we do not know are ignored.
    ///
    /// - Throws: `ServiceError.invalidRequest` naming the field and never its value, also when nothing is asked for.
    static func edits(in request: HTTPRequest) throws(ServiceError) -> [ProfileEdit] {
        var edits: [ProfileEdit] = []
        for (name, value) in try members(of: request) where names.contains(name) {
            switch value {
            case .null, .string(""): edits.append(ProfileEdit(name, nil))
            case .string(let text): edits.append(ProfileEdit(name, try checked(text, name)))
            default: throw .invalidRequest("The parameter \(name) must be a string or null.")
            }
        }
        guard !edits.isEmpty else {
            throw .invalidRequest(
                "None of the parameters is one that can be changed: \(names.joined(separator: ", ")).")
        }
        return edits
    }

    /// What came along with a registration.
    static func attributes(
        in parameters: RequestParameters<RegistrationEndpoint.Parameter>
    ) throws(ServiceError) -> Attributes {
        var attributes = Attributes()
        for parameter in RegistrationEndpoint.Parameter.allCases where names.contains(parameter.rawValue) {
            let name = parameter.rawValue
            if let text = parameters[parameter], !text.isEmpty { attributes[name] = try checked(text, name) }
        }
        return attributes
    }

    private static func members(of request: HTTPRequest) throws(ServiceError) -> [(name: String, value: JSONValue)] {
        switch try RequestBody(request) {
        case .json(let object): return object.members
        case .form(let form):
            var names: Set<String> = []
            for field in form.fields where !names.insert(field.name).inserted {
                if Self.names.contains(field.name) {
                    throw .invalidRequest("The parameter \(field.name) is there twice.")
                }
            }
            return form.fields.map { ($0.name, .string($0.value)) }
        }
    }

    private static func checked(_ text: String, _ name: String) throws(ServiceError) -> String {
        guard text.utf8.count <= maximumValueBytes else {
            throw .invalidRequest("The parameter \(name) is longer than \(maximumValueBytes) bytes.")
        }
        if let fault = AttributeRule.fault(of: text, named: name) {
            throw .invalidRequest("The parameter \(name) \(fault).")
        }
        return text
    }
}

/// What ZenKey's sample app for Android decodes of a user (``ResponseShape/zenkeyAndroid``): each attribute an object
/// of its own with `value`, and `verified` as a number where it is known; the name whole and in parts; the address by
/// the names of its class, which are not quite those of OpenID Connect Core §5.1.1.
extension JSONWriter {
    private static let namesOfParts = ["given_name", "family_name"]

    /// - Parameters:
    ///   - shown: what is told of the user.
    ///   - names: of the attributes that may be told.
    ///   - isVerified: whether an address or a number is told as verified.
    mutating func nestedProfile(
        _ shown: Attributes, _ names: AttributeNames, isVerified: (Contact) -> Bool
    ) {
        nestedName(shown, names)
        for attribute in shown.members where names.contains(attribute.name) {
            if attribute.name == "name" || Self.namesOfParts.contains(attribute.name) { continue }
            if attribute.name == UserClaims.address {
                nestedAddress([("formatted", .string(attribute.value))])
                continue
            }
            name(attribute.name)
            object { parts in
                parts.member("value", attribute.value)
                guard let contact = Contact(rawValue: attribute.name) else { return }
                parts.member("verified", Int64(isVerified(contact) ? 1 : 0))
            }
        }
        for attribute in shown.objects.members where names.contains(attribute.name) {
            guard attribute.name == UserClaims.address,
                let parts = (try? JSONValue(parsing: attribute.json.utf8))?.object
            else {
                member(attribute.name, json: attribute.json)
                continue
            }
            nestedAddress(parts.members.map { ($0.name, $0.value) })
        }
    }

    private mutating func nestedName(_ shown: Attributes, _ names: AttributeNames) {
        let parts = (["name"] + Self.namesOfParts).filter { names.contains($0) && shown[$0] != nil }
        guard !parts.isEmpty else { return }
        name("name")
        object { object in
            for part in parts { object.member(part == "name" ? "value" : part, shown[part] ?? "") }
        }
    }

    private mutating func nestedAddress(_ parts: [(name: String, value: JSONValue)]) {
        name(UserClaims.address)
        object { address in
            for part in parts { address.member(part.name == "postal_code" ? "postalCode" : part.name, part.value) }
        }
    }
}
