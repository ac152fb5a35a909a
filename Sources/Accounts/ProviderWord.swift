/// What one provider has said of a user, attribute by attribute: since when it says the value that it says, and how
/// well it knows it. The values are in the profile, and here only what tells one from another.
///
/// It is stored as one text, and read when somebody asks for it or the provider says something else: nearly every
/// sign-in brings what the last one brought.
struct ProviderWord: Equatable, Sendable {
    struct Part: Equatable {
        let name: String
        let value: Fingerprint
        let assurance: Assurance?
        /// Seconds since 1970.
        var since: Int64
    }

    /// The configured name of the provider.
    let provider: String
    /// `"STATEMENT;NAME,VALUE,ASSURANCE,SINCE;…"`, quotes included: earlier versions take it for a JSON text.
    let text: String

    init(provider: String, text: String) {
        (self.provider, self.text) = (provider, text)
    }

    init(provider: String, statement: Fingerprint, parts: [Part]) {
        let written = parts.map { part in
            "\(part.name),\(part.value.text),\(part.assurance?.text ?? ""),\(part.since)"
        }
        self.init(provider: provider, text: "\"" + ([statement.text] + written).joined(separator: ";") + "\"")
    }

    /// Whether it was made of a statement with that fingerprint.
    func isMade(of statement: Fingerprint) -> Bool {
        // Behind the quote. A sign-in asks this each time, and nothing else of it.
        statement.isWritten(in: text.utf8.span, at: 1)
    }

    /// Those that can be read.
    var parts: [Part] {
        text.dropFirst().dropLast().split(separator: ";").dropFirst().compactMap { part in
            let fields = part.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 4, let value = Fingerprint(fields[1]), let since = Int64(fields[3]) else {
                return nil
            }
            return Part(name: String(fields[0]), value: value, assurance: Assurance(fields[2]), since: since)
        }
    }
}
