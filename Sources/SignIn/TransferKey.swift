public import Accounts
internal import JSON
public import Providers

/// By what an app's users are known when it has moved to another team at Apple, where their subjects are others: the
/// `transfer_sub` of the ID token, which the former team was told of each of them.
public enum TransferKey {
    /// The hash under which it is stored, apart from every other issuer's.
    ///
    /// - Parameter issuer: the name by which the issuer's users are stored.
    public static func hash(of transfer: TransferSubject, at issuer: String) -> TokenHash {
        TokenHash(sha256: [TransferSubject.member, issuer, transfer.value])
    }

    /// Who the ID token of a sign-in says that somebody was.
    ///
    /// - Parameters:
    ///   - idToken: the claims of the verified ID token. Userinfo says nothing of it that counts.
    ///   - issuer: as above.
    /// - Returns: nil where it says nothing, or nothing that can be one.
    static func of(_ idToken: JSONValue, at issuer: String) -> PersonKey? {
        TransferSubject(in: idToken).map { .transfer(hash(of: $0, at: issuer)) }
    }
}
