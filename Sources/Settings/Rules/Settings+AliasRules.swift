internal import Providers
internal import Syntax

extension Settings {
    /// An alias hands the users of one name to those who issue under another. So the new name must be the section's
    /// own, and nobody else's users may stand behind either: else one provider could claim the users of another.
    func aliasRules() -> [SettingsError] {
        let sections = listedProviders.sections
        // A section that is faulty by itself is told of by its own rules.
        let configured = sections.map { try? $0.configuration(sharedRedirectURIs: [], writtenBefore: false) }
        var faults: [SettingsError] = []
        for (section, configuration) in zip(sections, configured) {
            guard let configuration else { continue }
            for (index, alias) in section.issuerAliases.enumerated() {
                let (old, new) = (alias.old.text, alias.new.text)
                func fault(_ expected: String) {
                    faults.append(
                        SettingsError(
                            .conflict, section.key("issuerAliases"), value: "\(old)=\(new)", expected: expected))
                }
                let others = section.issuerAliases[..<index]
                if others.contains(where: { $0.old == alias.old }) {
                    fault("each former name once")
                } else if section.issuerAliases.contains(where: { $0.old == alias.new }) {
                    fault("the name that \(new) has now, on the right: each former name by itself leads to it")
                } else if !configuration.mayIssue(as: new) {
                    fault("an issuer of this section on the right, by which its users sign in now")
                }
                for (other, its) in zip(sections, configured) where other.name != section.name {
                    guard let its, its.mayIssue(as: old) || its.mayIssue(as: new),
                        !other.issuerAliases.contains(alias)
                    else { continue }
                    let name = its.mayIssue(as: old) ? old : new
                    fault("issuers of this section alone: users of provider.\(other.name) are those of \(name), too")
                }
            }
        }
        return faults
    }
}
