/// What can be the matter with a port token. When one is asked for and the subscriber never ported, the answer is
/// made as if the subscriber had come from the other carrier.
public enum PortTokenMisbehaviour: String, Sendable, CaseIterable {
    /// Nothing is; asks for a port token where there would be none.
    case valid = "port_token_valid"
    /// From the plain provider and signed by it: an issuer that exists, but that no carrier's client trusts.
    case foreignIssuer = "port_token_foreign_issuer"
    /// From an issuer that does not exist.
    case unreachableIssuer = "port_token_unreachable_issuer"
    case wrongAudience = "port_token_wrong_audience"
    /// Issued 400 days ago.
    case old = "port_token_old"
    case issuedInFuture = "port_token_iat_in_future"
    case missingIssuedAt = "port_token_missing_iat"
    case badSignature = "port_token_bad_signature"
    /// Issued and signed by the carrier that issues the ID token.
    case issuedByCurrentIssuer = "port_token_current_issuer"
    /// Names the old issuer, but is signed by the current one.
    case signedByCurrentIssuer = "port_token_signed_by_current_issuer"
    case hs256 = "port_token_hs256"
    case algorithmNone = "port_token_alg_none"
    /// The old subject of the subscriber `mary`, no matter who signs in.
    case otherAccount = "port_token_other_account"
    /// The subject of the ID token itself, which names no old account.
    case newSubject = "port_token_new_sub"
    case missingSubject = "port_token_missing_sub"
    case wrongType = "port_token_wrong_typ"
    case garbage = "port_token_garbage"
}

/// How the claim `aka` holds its port token.
public enum PortTokenShape: String, Sendable, CaseIterable {
    case array = "aka_array"
    case single = "aka_single"
    case object = "aka_object"
    case objectWithArray = "aka_object_array"
}
