internal import Syntax

/// An attribute that a provider has given, and whose word it is.
public struct GivenAttribute: Sendable, CustomStringConvertible {
    public enum Value: Equatable, Sendable {
        case text(String)
        /// With parts of its own, as compact JSON.
        case json(String)
    }

    public let name: String
    public let value: Value
    /// The configured name of the provider; nil where only that it was one is known.
    public let provider: String?
    /// Since when it says so, in seconds since 1970; nil where that is not known.
    public let since: Int64?
    /// How well it says that it knows it; nil where it says nothing.
    public let assurance: Assurance?

    /// Printing it shows no value: that is personal.
    public var description: String { "GivenAttribute(\(name))" }
}

extension Profile {
    /// What providers have given of the user, each attribute with whose word it is.
    ///
    /// Where several providers say the same, it is the word of the one that knows it best, and then of the one that has
    /// said it longest; an address and a number are the word of the one that they are shown of.
    public var given: [GivenAttribute] {
        let words = self.words.map { (provider: $0.provider, parts: $0.parts) }
        let texts = carrier.members.filter { !Self.isAboutAnother($0.name) }.map { member in
            given(member.name, .text(member.value), Fingerprint(of: member.value), words)
        }
        return texts
            + carrier.objects.members.map { given($0.name, .json($0.json), Fingerprint(of: $0.json), words) }
    }

    private func given(
        _ name: String, _ value: GivenAttribute.Value, _ fingerprint: Fingerprint,
        _ words: [(provider: String, parts: [ProviderWord.Part])]
    ) -> GivenAttribute {
        let contact = Contact(rawValue: name)
        let source = contact.flatMap { sources[$0] }
        var best: (provider: String, part: ProviderWord.Part)?
        for word in words where contact == nil || word.provider == source {
            for part in word.parts where part.name == name && part.value == fingerprint {
                guard let former = best?.part else {
                    best = (word.provider, part)
                    continue
                }
                if (part.worth, former.since) > (former.worth, part.since) { best = (word.provider, part) }
            }
        }
        let isVerified = contact.map { self.isVerified($0) } ?? false
        return GivenAttribute(
            name: name, value: value, provider: best?.provider ?? source, since: best?.part.since,
            assurance: best?.part.assurance ?? (isVerified ? .said(isVerified: true) : nil))
    }

    /// Notes since when a provider says what it says, and how well it knows it.
    ///
    /// What it did not say this time stays, as in ``merge(_:)``.
    ///
    /// - Returns: whether anything is other than before.
    mutating func keepWord(of said: ProviderStatement) -> Bool {
        if said.attributes.isEmpty { return false }
        let statement = said.attributes.fingerprint
        let index = words.firstIndex { $0.provider == said.provider }
        if let index, words[index].isMade(of: statement) { return false }
        let before = index.map { words[$0].parts } ?? []
        let parts = Self.parts(of: said, after: before)
        guard parts != before else { return false }
        let word = ProviderWord(provider: said.provider, statement: statement, parts: parts)
        if let index {
            words[index] = word
        } else {
            if words.count == Self.maximumProviders { words.removeFirst() }
            words.append(word)
        }
        return true
    }

    /// In the order that they came in first, so that apps with different scopes, by turns, change nothing.
    private static func parts(of said: ProviderStatement, after before: [ProviderWord.Part]) -> [ProviderWord.Part] {
        let sent = said.attributes
        var new: [ProviderWord.Part] = []
        func add(_ name: String, _ value: String) {
            guard !isAboutAnother(name), name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") }) else {
                return
            }
            new.append(
                ProviderWord.Part(
                    name: name, value: Fingerprint(of: value), assurance: sent.assurance(of: name), since: said.at))
        }
        for member in sent.members { add(member.name, member.value) }
        for member in sent.objects.members { add(member.name, member.json) }
        let replaced = groups.filter { group in group.contains { sent[$0] != nil } }.joined()
        var parts: [ProviderWord.Part] = []
        for former in before {
            guard let index = new.firstIndex(where: { $0.name == former.name }) else {
                if !replaced.contains(former.name) { parts.append(former) }
                continue
            }
            var part = new.remove(at: index)
            if part.value == former.value, part.assurance == former.assurance { part.since = former.since }
            parts.append(part)
        }
        return parts + new
    }

    /// Whether an attribute only says something of another one.
    private static func isAboutAnother(_ name: String) -> Bool {
        name == hostedDomainName || Contact.allCases.contains { $0.verifiedName == name }
    }
}

extension ProviderWord.Part {
    /// For those that know a value better: verified ones before others, and then by level.
    fileprivate var worth: Int { (assurance?.isVerified == true ? 1 : 0) + (assurance?.level ?? 0) }
}
