import Accounts
import Composition
import Providers
import SignIn

/// Which of our providers stands for what another product calls one.
struct ProviderMap {
    /// Why a `--map` is refused.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case malformed
        case unknownProvider(String)
        /// Its users have issuers that the export does not tell.
        case manyIssuers(String)
        case namedTwice(String)
        case ownAccounts(String)

        var description: String {
            switch self {
            case .malformed: "--map takes NAME=PROVIDER"
            case .unknownProvider(let name): "--map: no provider \(name) is configured"
            case .manyIssuers(let name):
                "--map: the users of \(name) are those of several issuers, and the file does not tell of which"
            case .namedTwice(let name): "--map: \(name) is named twice"
            case .ownAccounts(let name): "--map: behind \(name) stands no provider, but a password or a message"
            }
        }
    }

    private struct Target {
        let provider: String
        let issuer: String
    }

    private static let maximumIdentities = 100

    private let targets: [String: Target]
    private let ownAccounts: Set<String>
    /// Seconds since 1970.
    private let now: Int64

    /// - Parameter words: as they stand behind `--map`.
    init(
        _ words: [String], format: ImportFormat, providers: [Provider], now: Int64
    ) throws(Fault) {
        let directory = ProviderRegistry(providers)
        var targets: [String: Target] = [:]
        for word in words {
            guard let sign = word.lastIndex(of: "="), sign > word.startIndex else { throw .malformed }
            let (name, ours) = (String(word[..<sign]), String(word[word.index(after: sign)...]))
            guard !format.ownAccounts.contains(name) else { throw .ownAccounts(name) }
            guard let provider = directory.provider(named: ours) else {
                throw .unknownProvider(ours)
            }
            guard let issuer = Self.onlyIssuer(of: provider) else { throw .manyIssuers(ours) }
            let target = Target(provider: ours, issuer: issuer)
            guard targets.updateValue(target, forKey: name) == nil else { throw .namedTwice(name) }
        }
        for (name, issuer) in format.wellKnown where targets[name] == nil {
            let fitting = providers.filter { $0.configuration.issuerNames?.stored(issuer) != nil }
            guard fitting.count == 1, let provider = fitting.first else { continue }
            targets[name] = Target(
                provider: provider.configuration.name, issuer: provider.currentName(of: issuer))
        }
        (self.targets, self.now) = (targets, now)
        ownAccounts = format.ownAccounts
    }

    /// - Returns: the name under which all users of a provider are stored; nil where there are several.
    private static func onlyIssuer(of provider: Provider) -> String? {
        guard let names = provider.configuration.issuerNames else { return nil }
        guard names.hasTenants else { return provider.currentName(of: names.configured) }
        guard case .only(let tenants)? = provider.configuration.tenants, tenants.count == 1, let tenant = tenants.first
        else { return nil }
        return provider.currentName(
            of: names.configured.replacing(IssuerNames.tenantPlaceholder, with: tenant, maxReplacements: 1))
    }

    /// - Parameters:
    ///   - user: as the export has it.
    ///   - reference: the random reference for the case that the user is new.
    ///   - leftOut: counts what of the user has no place here.
    /// - Returns: nil for a user of whom no identity is a provider's of ours.
    func user(
        _ user: ExportedUser, reference: String, leftOut: inout ImportSummary.LeftOut
    ) throws(ImportError) -> ImportedUser? {
        guard user.identities.count <= Self.maximumIdentities else {
            throw .tooManyIdentities(most: Self.maximumIdentities)
        }
        if let time = user.createdAt, !(0...now).contains(time) { throw .exportedTime }
        var identities: [ImportedUser.Identity] = []
        var said: (words: Attributes, provider: String)?
        var strangers: [String] = []
        var hasOwnAccount = user.hasPassword
        for (index, identity) in user.identities.enumerated() {
            guard let target = targets[identity.provider] else {
                if ownAccounts.contains(identity.provider) {
                    hasOwnAccount = true
                } else {
                    strangers.append(identity.provider)
                }
                continue
            }
            guard let subject = Subject.given(issuer: target.issuer, value: identity.subject) else {
                throw .identity(index + 1, .exported)
            }
            identities.append(ImportedUser.Identity(provider: target.provider, subject: subject, emailStoppedAt: nil))
            // All words are of one provider, of which they are told.
            if identities.count == 1 || said?.words["email"] == nil && identity.said["email"] != nil {
                said = (identity.said, target.provider)
            }
        }
        // Only what holds is counted: a record with a fault is told of by its number.
        for name in strangers { leftOut.addUnmapped(name) }
        if hasOwnAccount { leftOut.passwords += 1 }
        if user.hasSecondFactor { leftOut.secondFactors += 1 }
        guard !identities.isEmpty else {
            leftOut.users += 1
            return nil
        }
        if user.isDisabled { leftOut.locked += 1 }
        var profile = Profile(carrier: user.names)
        if let said, !said.words.isEmpty {
            profile = Profile(carrier: said.words)
            profile.attribute(to: said.provider)
        }
        return ImportedUser(
            reference: reference, profile: profile, createdAt: user.createdAt ?? now, identities: identities,
            lock: user.isDisabled ? Lock(cause: .imported, reason: nil, since: now, until: nil) : nil)
    }
}
