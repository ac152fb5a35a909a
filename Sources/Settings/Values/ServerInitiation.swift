/// Whether apps may have users asked on their phones.
enum ServerInitiation: String, CaseIterable, Sendable {
    case off = "false"
    case on = "true"
    /// Also without a text for the user, and by a subject in the place of a phone number.
    case minimal
}

extension ProviderSettings {
    var serverInitiated: Bool { serverInitiation != .off }
}

extension TextRule where Value == ServerInitiation {
    /// The flag that it was, with its spellings, and one word more.
    static var serverInitiation: Self {
        TextRule(choice.expected) {
            $0.rawValue
        } accept: { text in
            switch text.lowercased() {
            case "true", "yes", "1": .on
            case "false", "no", "0": .off
            default: ServerInitiation(rawValue: text)
            }
        }
    }
}
