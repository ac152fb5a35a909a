internal import Syntax

/// How people know a provider.
extension ProviderSettings {
    /// What people read: what the operator says or everybody says, else where it is.
    var nameForPeople: String { displayName ?? issuer?.address.host ?? name }

    /// That people read something that nobody has chosen for them.
    var nameNotice: SettingsNotice? {
        guard displayName == nil else { return nil }
        let sentence =
            "is empty: people who choose a provider read \(nameForPeople); give it the name by which they know it"
        return SettingsNotice(key("displayName"), sentence)
    }
}

extension Settings {
    /// Where people can't tell two providers apart.
    func noticesOfSameNames() -> [SettingsNotice] {
        let sections = listedProviders.sections
        return sections.indices.compactMap { index in
            let section = sections[index]
            let name = section.nameForPeople
            guard let other = sections[..<index].first(where: { $0.nameForPeople == name }) else { return nil }
            let sentence =
                "makes people read \(name), as for \(other.name): they can't tell the two apart"
            return SettingsNotice(section.key("displayName"), sentence)
        }
    }
}
