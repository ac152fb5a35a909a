internal import Accounts
internal import Apps

/// What a user has declined of the scopes that an app has asked a provider for by itself (RFC 6749 §3.3, §5.1).
///
/// A provider may call a scope otherwise than it was asked for, or never name one that it grants. So nothing is
/// declined of which it has told something, and without a word of it about scopes nothing is.
struct DeclinedScopes {
    let names: [String]

    /// - Parameters:
    ///   - asked: what the app says that it has asked for.
    ///   - granted: the `scope` of the token answer.
    ///   - told: what the provider said of the user.
    init(_ asked: [String], granted: String?, told: Attributes) {
        guard let granted else {
            names = []
            return
        }
        let granting = granted.split(separator: " ")
        names = asked.filter { name in
            let isTold = Permission(ofProviderScope: name).map { UserClaims.has(told, $0) } ?? false
            return name != Permission.openid.rawValue && !granting.contains(name[...]) && !isTold
        }
    }
}
