internal import Accounts
internal import JSON
internal import Syntax

/// What names one person at all clients of an issuer, where subjects are pairwise (OpenID Connect Core §8.1): the value
/// of a claim that the configuration names, such as TelenorID+'s `kurtid`.
enum CrossClientKey {
    /// A key is an identifier; what is longer is something else.
    private static let maximumBytes = 255

    /// The hash under which a person's key is stored, apart from every other issuer's by the store, and from those of
    /// every other claim by what is hashed.
    ///
    /// - Parameters:
    ///   - claim: its name.
    ///   - idToken: the claims of the verified ID token.
    ///   - userinfo: those of userinfo, whose subject is the ID token's; nil where there is none.
    /// - Returns: nil where neither names a key, either names what can't be one, or they name two.
    static func hash(of claim: String, idToken: JSONValue, userinfo: JSONValue?) -> TokenHash? {
        let said = [idToken[claim], userinfo?[claim]].compactMap(\.self)
        guard let key = said.first?.string, !key.isEmpty, key.utf8.count <= maximumBytes,
            said.allSatisfy({ $0.string?.isExactly(key) == true })
        else { return nil }
        return TokenHash(sha256: ["cross-client key", claim, key])
    }
}
