internal import HTTPServer
internal import JSON
internal import SignIn

/// The parameters of a POST, from JSON or from a form, each once, under their snake_case names.
///
/// The guides' camelCase spellings are other names for the same parameters. Fields we do not know are ignored; null and
/// an empty text count as absent.
struct RequestParameters {
    /// camelCase spellings of the SDK's AuthorizedResponse and what they mean.
    private static let aliases = [
        "clientId": "client_id", "clientID": "client_id", "redirectURI": "redirect_uri", "redirectUri": "redirect_uri",
        "codeVerifier": "code_verifier", "correlationId": "correlation_id", "correlationID": "correlation_id",
        "acrValues": "acr_values", "sdkVersion": "sdk_version", "grantType": "grant_type",
        "refreshToken": "refresh_token", "idToken": "id_token", "accessToken": "access_token", "mccMnc": "mccmnc",
        "loginHint": "login_hint",
        "user_name": "username", "displayName": "display_name",
    ]
    /// What every posted code comes with, so that it is looked at first.
    private static let usual = ["client_id", "code", "redirect_uri", "mccmnc", "code_verifier", "nonce"]
    private static let others = [
        "provider", "code", "iss", "mcc", "mnc", "nonce", "context", "state", "max_age", "link_ticket", "zenkey_sub",
        "token", "client_secret", "id_token", "access_token", "user",
        "identity_id", "delivery_method", "authenticator_type",
    ]

    /// The parameters any endpoint takes, under every name they come by. By the length of that, which tells most names
    /// apart and is at hand; hashing each member of each body would cost more.
    private static let canonicalNames: [[(spelling: String, name: String)]] = {
        let own = usual + aliases.values.sorted() + others + operators + ProfileFields.names
        var known: Set<String> = []
        var names = own.filter { known.insert($0).inserted }.map { (spelling: $0, name: $0) }
        names += aliases.sorted { $0.key < $1.key }.map { (spelling: $0.key, name: $0.value) }
        let longest = names.reduce(0) { max($0, $1.spelling.utf8.count) }
        return (0...longest).map { length in names.filter { $0.spelling.utf8.count == length } }
    }()

    private static func canonicalName(_ spelling: String) -> String? {
        let length = spelling.utf8.count
        guard length < canonicalNames.count else { return nil }
        for known in canonicalNames[length] where known.spelling == spelling { return known.name }
        return nil
    }

    /// What only operators send.
    private static let operators = ["issuer", "subject"]

    /// The other names of a parameter, in the order of the alphabet.
    static func otherSpellings(of name: String) -> [String] {
        aliases.filter { $0.value == name }.map(\.key).sorted()
    }

    /// What apps send as numbers though it is text.
    private static let mayBeNumbers: Set<String> = [
        "mccmnc", "mcc", "mnc", "correlation_id", "max_age", "postal_code", "identity_id",
    ]

    /// What apps send as a list of texts, too; it means the same texts with blanks between them.
    private static let mayBeLists: Set<String> = ["acr_values"]

    /// What apps send as an object, too, of which their SDK has given them the text.
    private static let mayBeObjects: Set<String> = ["user"]

    /// As many as fit into the memory that the first one gets.
    private static let usualCount = 8

    /// A handful, for which a linear search beats hashing.
    private var values: [(name: String, value: String)] = []

    subscript(name: String) -> String? {
        let count = name.utf8.count
        let values = values.span
        for index in values.indices where values[index].name.utf8.count == count && values[index].name == name {
            return values[index].value
        }
        return nil
    }

    /// Reads a request's body.
    ///
    /// - Throws: `ServiceError.unsupportedMediaType`, or `.invalidRequest` naming the parameter and never its value.
    init(_ request: HTTPRequest) throws(ServiceError) {
        switch try RequestBody(request) {
        case .json(let object): try read(object)
        case .form(let form): try read(form)
        }
        try joinNetworkCode()
    }

    private mutating func read(_ object: JSONObject) throws(ServiceError) {
        for member in object.members {
            guard let name = Self.canonicalName(member.name) else { continue }
            switch member.value {
            case .null: continue
            case .string(let text): try set(name, text)
            case .integer(let number) where number >= 0 && Self.mayBeNumbers.contains(name):
                // A number has lost its leading zeros: a network code has three digits in ZenKey's world.
                let digits = String(number)
                let width = name == "mnc" ? 3 : digits.utf8.count
                try set(name, String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits)
            case .array(let elements) where Self.mayBeLists.contains(name):
                let texts = elements.compactMap(\.string)
                guard texts.count == elements.count else {
                    throw .invalidRequest("The parameter \(name) must be a string, or a list of strings.")
                }
                try set(name, texts.joined(separator: " "))
            case .object where Self.mayBeObjects.contains(name):
                try set(name, String(decoding: member.value.serialized, as: UTF8.self))
            default: throw .invalidRequest("The parameter \(name) must be a string.")
            }
        }
    }

    private mutating func read(_ form: FormFields) throws(ServiceError) {
        for (index, field) in form.fields.enumerated() {
            guard let name = Self.canonicalName(field.name) else { continue }
            // They are so few that looking through them costs less than hashing.
            for earlier in form.fields[..<index] where earlier.name == field.name {
                throw .invalidRequest("The parameter \(name) is there twice.")
            }
            try set(name, field.value)
        }
    }

    /// One parameter in two spellings must have one value.
    private mutating func set(_ name: String, _ value: String) throws(ServiceError) {
        if value.isEmpty { return }
        guard let earlier = self[name] else {
            if values.isEmpty { values.reserveCapacity(Self.usualCount) }
            return values.append((name, value))
        }
        guard earlier == value else {
            throw .invalidRequest("The parameter \(name) is there in two spellings with different values.")
        }
    }

    /// The SDK of 2019 sends country code and network code apart.
    private mutating func joinNetworkCode() throws(ServiceError) {
        let (country, network) = (self["mcc"] ?? "", self["mnc"] ?? "")
        if country.isEmpty && network.isEmpty { return }
        guard !country.isEmpty, !network.isEmpty else {
            throw .invalidRequest("The parameters mcc and mnc go together.")
        }
        try set("mccmnc", country + network)
    }
}
