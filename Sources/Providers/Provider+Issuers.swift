internal import JSON
internal import Syntax

extension Provider {
    /// Whether an ID token of this issuer could ever be taken, compared to the letter (OpenID Connect Core §3.1.3.7): an
    /// identity that an operator enters under any other would never be found.
    public func mayIssueAs(_ issuer: String) -> Bool {
        switch configuration.profile {
        case .openid(let configured): issuer.isExactly(configured)
        case .zenkey: trusts(issuer: issuer)
        }
    }
}
