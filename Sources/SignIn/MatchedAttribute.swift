internal import Accounts
internal import JSON

/// What can be compared with what providers have said of a user, without telling what that is.
///
/// The raw value is the attribute's name (OpenID Connect Core §5.1, and `postal_code` of ZenKey's carriers).
public enum MatchedAttribute: String, ParameterNames {
    case name
    case givenName = "given_name"
    case familyName = "family_name"
    case postalCode = "postal_code"
    case address
    case birthdate
    case phoneNumber = "phone_number"
    case email

    /// What comparing comes to, as CAMARA's KYC Match has it: "true", "false", "not_available".
    public enum Outcome: String, Sendable, CaseIterable {
        case yes
        case no
        /// No provider has said it, or not enough of it.
        case unknown
    }

    /// What is wrong with a value that is to be compared, as it completes "The parameter … ".
    ///
    /// A part of a value is refused, where parts could be guessed one after the other.
    ///
    /// - Returns: nil for one that can be compared.
    public func fault(of value: String) -> String? {
        switch self {
        case .birthdate:
            guard value.utf8.count == 10, !value.utf8.starts(with: "0000".utf8) else {
                return "must be a whole date, YYYY-MM-DD"
            }
            return AttributeRule.fault(of: value, named: rawValue)
        case .phoneNumber, .email:
            let contact = Contact(rawValue: rawValue)
            return contact?.normalized(value) == nil ? "has nothing that can be compared" : nil
        case .name, .givenName, .familyName, .postalCode, .address:
            return normalized(value).isEmpty ? "has nothing that can be compared" : nil
        }
    }

    /// Names without case, accents, blanks and punctuation; the rest with its accents.
    func normalized(_ text: String) -> String {
        switch self {
        case .name, .givenName, .familyName: ComparableText.of(text, hasAccents: false)
        case .postalCode, .address: ComparableText.of(text, hasAccents: true)
        case .birthdate, .phoneNumber, .email: text
        }
    }
}

extension Profile {
    /// Whether a provider has said of the user what somebody has typed. What users say of themselves is not looked at.
    ///
    /// - Parameter value: without ``MatchedAttribute/fault(of:)``.
    func match(_ attribute: MatchedAttribute, _ value: String) -> MatchedAttribute.Outcome {
        switch attribute {
        case .phoneNumber, .email: match(Contact(rawValue: attribute.rawValue), value)
        case .birthdate: match(birthdate: value)
        case .name: match(attribute, value, with: fullNames)
        case .address: match(attribute, value, with: addresses)
        case .givenName, .familyName, .postalCode:
            match(attribute, value, with: [carrier[attribute.rawValue]].compactMap(\.self))
        }
    }

    private func match(
        _ attribute: MatchedAttribute, _ value: String, with said: [String]
    ) -> MatchedAttribute.Outcome {
        let known = said.map(attribute.normalized).filter { !$0.isEmpty }
        if known.isEmpty { return .unknown }
        return known.contains(attribute.normalized(value)) ? .yes : .no
    }

    /// Of several providers, what any has given.
    private func match(_ contact: Contact?, _ value: String) -> MatchedAttribute.Outcome {
        let given = contacts.filter { $0.contact == contact && $0.giver != .user }
        let known = given.compactMap { $0.contact.normalized($0.value) }
        if known.isEmpty { return .unknown }
        return known.contains { $0 == contact?.normalized(value) } ? .yes : .no
    }

    /// Some providers say the year alone, or no year (`0000`): then only a difference is told.
    private func match(birthdate value: String) -> MatchedAttribute.Outcome {
        guard let said = carrier[MatchedAttribute.birthdate.rawValue] else { return .unknown }
        if said == value { return .yes }
        if said.utf8.count == 4 { return value.hasPrefix(said) ? .unknown : .no }
        guard said.hasPrefix("0000-") else { return .no }
        return value.dropFirst(4) == said.dropFirst(4) ? .unknown : .no
    }

    private var fullNames: [String] {
        if let name = carrier.name { return [name] }
        guard let given = carrier.givenName, let family = carrier.familyName else { return [] }
        return [given + family, family + given] + (carrier["middle_name"].map { [given + $0 + family] } ?? [])
    }

    /// An address is one text, or has one (`formatted`), or is written as on an envelope, with or without its country.
    private var addresses: [String] {
        let name = MatchedAttribute.address.rawValue
        if let text = carrier[name] { return [text] }
        guard let json = carrier.objects[name], let parts = try? JSONValue(parsing: json.utf8.span) else { return [] }
        var known = [parts["formatted"]?.string].compactMap(\.self)
        guard let street = parts["street_address"]?.string else { return known }
        for town in [["postal_code", "locality", "region"], ["locality", "region", "postal_code"]] {
            let lines = [street] + town.compactMap { parts[$0]?.string }
            guard lines.count > 1 else { continue }
            known.append(lines.joined(separator: " "))
            if let country = parts["country"]?.string { known.append((lines + [country]).joined(separator: " ")) }
        }
        return known
    }
}
