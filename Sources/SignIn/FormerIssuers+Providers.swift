public import Accounts
public import Providers

extension FormerIssuers {
    /// What the sections of the configuration say of the names of issuers, together.
    ///
    /// A name under which another section would store users is nobody's former one: those who issue tokens under that
    /// name would be taken for somebody else's user, or the other way round.
    public init(_ providers: [ProviderConfiguration]) {
        var names: [String: String] = [:]
        for provider in providers {
            for (former, current) in provider.formerIssuerNames
            where providers.allSatisfy({ $0.agrees(that: former, isNow: current) }) {
                names[former] = current
            }
        }
        self.init(names)
    }
}

extension ProviderConfiguration {
    /// Whether this section stores nobody under a name that another one says is a former one.
    func agrees(that former: String, isNow current: String) -> Bool {
        if let own = formerIssuerNames[former] { return own.utf8.elementsEqual(current.utf8) }
        return !mayIssue(as: former)
    }
}
