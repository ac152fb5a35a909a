package import HTTPServer
internal import JSON
package import SignIn
internal import Syntax

/// The parameters of a POST that an operation declares, from JSON or from a form, each once.
///
/// The guides' camelCase spellings are other names for the same parameters. Fields that the operation does not declare
/// are ignored, but for those that it must not ignore (``ParameterNames/unsupported``); null and an empty text count as
/// absent.
package struct RequestParameters<Name: ParameterNames> {
    /// As many as fit into the memory that the first one gets.
    private static var usualCount: Int { 8 }

    /// A handful, for which a linear search beats hashing.
    private(set) var values: [(name: Name, value: String)] = []

    package subscript(name: Name) -> String? {
        let values = values.span
        for index in values.indices where values[index].name == name { return values[index].value }
        return nil
    }

    /// Reads a request's body.
    ///
    /// - Throws: `ServiceError.unsupportedMediaType`; `.invalidRequest` and `.invalidParameter` naming the parameter
    ///   and never its value.
    package init(_ request: HTTPRequest, _ table: ParameterTable<Name>) throws(ServiceError) {
        // Of no type, and so of neither: that there are none is told by the first that is missing.
        if request.body.isEmpty, request.header("content-type") == nil { return }
        switch try RequestBody(request) {
        case .json(let object): try read(object, table)
        case .form(let form): try read(form, table)
        }
    }

    private mutating func read(_ object: JSONObject, _ table: ParameterTable<Name>) throws(ServiceError) {
        for member in object.members {
            guard let entry = table.entry(member.name) else { continue }
            switch (member.value, entry.alternative) {
            case (.null, _): continue
            case (.string(let text), _): try set(entry, text)
            case (.integer(let number), .number(let width)) where number >= 0:
                let digits = String(number)
                try set(entry, String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits)
            case (.array(let elements), .list):
                let texts = elements.compactMap(\.string)
                guard texts.count == elements.count else {
                    throw .invalidRequest("The parameter \(entry.text) must be a string, or a list of strings.")
                }
                try set(entry, texts.joined(separator: " "))
            case (.object, .object): try set(entry, String(decoding: member.value.serialized, as: UTF8.self))
            default: throw .invalidRequest("The parameter \(entry.text) must be a string.")
            }
        }
    }

    private mutating func read(_ form: FormFields, _ table: ParameterTable<Name>) throws(ServiceError) {
        for (index, field) in form.fields.enumerated() {
            guard let entry = table.entry(field.name) else { continue }
            // They are so few that looking through them costs less than hashing.
            for earlier in form.fields[..<index] where earlier.name == field.name {
                throw .invalidRequest("The parameter \(entry.text) is there twice.")
            }
            try set(entry, field.value)
        }
    }

    /// One parameter in two spellings must have one value.
    private mutating func set(_ entry: ParameterTable<Name>.Entry, _ value: String) throws(ServiceError) {
        if value.isEmpty { return }
        // No parameter has one, and not every store takes one.
        guard !value.hasNUL else { throw .invalidRequest("The parameter \(entry.text) has a NUL.") }
        guard let name = entry.name else {
            throw .invalidParameter(ParameterError(entry.text, "is not honoured here: leave it out"))
        }
        guard let earlier = self[name] else {
            if values.isEmpty { values.reserveCapacity(Self.usualCount) }
            return values.append((name, value))
        }
        guard earlier == value else {
            throw .invalidRequest("The parameter \(entry.text) is there in two spellings with different values.")
        }
    }
}

extension RequestParameters where Name: ProviderParameterNames {
    /// Reads a request's body, in which a mobile network may be told in two parts.
    ///
    /// - Throws: as above.
    package init(of request: HTTPRequest, _ table: ParameterTable<Name>) throws(ServiceError) {
        try self.init(request, table)
        let (country, network) = (self[.mcc] ?? "", self[.mnc] ?? "")
        if country.isEmpty && network.isEmpty { return }
        guard !country.isEmpty, !network.isEmpty else {
            throw .invalidRequest("The parameters mcc and mnc go together.")
        }
        guard let entry = table.entry(Name.mccmnc.rawValue) else { return }
        try set(entry, country + network)
    }
}

/// Finds the parameters that an operation declares by the names they come under. Made once for each operation.
package struct ParameterTable<Name: ParameterNames>: Sendable {
    struct Entry: Sendable {
        let spelling: String
        /// What errors call it.
        let text: String
        /// nil for one that the operation does not honour and must not ignore.
        let name: Name?
        let alternative: ParameterForm.Alternative?
    }

    /// By the length of the spelling, which tells most names apart and is at hand; hashing each member of each body
    /// would cost more.
    private let entries: [[Entry]]

    package init() {
        var all = Name.allCases.flatMap { name in
            ([name.rawValue] + name.form.spellings).map {
                Entry(spelling: $0, text: name.rawValue, name: name, alternative: name.form.alternative)
            }
        }
        all += Name.unsupported.flatMap { text in
            let form = ParameterForm.ofSDKs[text] ?? ParameterForm()
            return ([text] + form.spellings).map {
                Entry(spelling: $0, text: text, name: nil, alternative: form.alternative)
            }
        }
        let longest = all.reduce(0) { max($0, $1.spelling.utf8.count) }
        entries = (0...longest).map { length in all.filter { $0.spelling.utf8.count == length } }
    }

    func entry(_ spelling: String) -> Entry? {
        let length = spelling.utf8.count
        guard length < entries.count else { return nil }
        for entry in entries[length] where entry.spelling == spelling { return entry }
        return nil
    }
}
