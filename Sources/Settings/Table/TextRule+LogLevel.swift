internal import Logging

extension TextRule where Value == Logger.Level {
    /// A level in any case, also by the names that other software has for it: platforms set these for all they run.
    static var logLevel: Self {
        let choice = Self.choice
        let names: [String: Logger.Level] = [
            "verbose": .trace, "information": .info, "warn": .warning, "err": .error, "fatal": .critical,
            "crit": .critical,
        ]
        return TextRule(choice.expected) {
            $0.rawValue
        } accept: { text in
            let name = text.lowercased()
            return Logger.Level(rawValue: name) ?? names[name]
        }
    }
}
