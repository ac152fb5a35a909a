/// What can be the matter with an ID token. Those whose names end in `_valid` are unusual but right: a relying party
/// must take them.
public enum IDTokenMisbehaviour: String, Sendable, CaseIterable {
    // The signature and the header (RFC 7515, RFC 8725 §3.1 and §3.2).
    case badSignature = "id_token_bad_signature"
    case algorithmNone = "id_token_alg_none"
    case algorithmNoneInOddCase = "id_token_alg_none_odd_case"
    case hs256WithPublicKey = "id_token_hs256_public_key"
    case hs256WithClientSecret = "id_token_hs256_client_secret"
    /// Signed with ES256 and a published key, by an issuer that announces RS256 alone.
    case es256 = "id_token_es256"
    /// Another one in each token.
    case unknownKeyID = "id_token_unknown_kid"
    /// Without a `kid`: right where exactly one key of the set fits, else ambiguous.
    case noKeyID = "id_token_no_kid"
    /// The issuer changes its keys before it signs.
    case rotatedKey = "id_token_rotated_key_valid"
    /// Signed with a key that is no longer published, or never was.
    case retiredKey = "id_token_retired_key"
    case unknownCriticalHeader = "id_token_unknown_crit"
    case duplicateHeaderMembers = "id_token_duplicate_header_members"
    case paddedBase64 = "id_token_padded_base64"

    // Who it is from and for (OpenID Connect Core §3.1.3.7 steps 2 to 5).
    case wrongIssuer = "id_token_wrong_issuer"
    case missingIssuer = "id_token_missing_iss"
    case wrongAudience = "id_token_wrong_audience"
    case missingAudience = "id_token_missing_aud"
    case audienceInArray = "id_token_audience_array_valid"
    case extraAudienceWithoutAuthorizedParty = "id_token_extra_audience_without_azp"
    case extraAudienceWithAuthorizedParty = "id_token_extra_audience_with_azp"
    case otherAuthorizedParty = "id_token_azp_of_another_client"
    case missingSubject = "id_token_missing_sub"
    case emptySubject = "id_token_empty_sub"
    case numericSubject = "id_token_numeric_sub"
    /// Somebody else's subject: wrong in a refreshed token, and beside the right userinfo.
    case otherSubject = "id_token_other_sub"

    // When (steps 9 and 10).
    case expired = "id_token_expired"
    case missingExpiry = "id_token_missing_exp"
    case missingIssuedAt = "id_token_missing_iat"
    case issuedInFuture = "id_token_iat_in_future"
    case issuedAWeekAgo = "id_token_iat_a_week_old"
    /// Right: a date may have a fraction (RFC 7519 §2).
    case floatingExpiry = "id_token_float_exp"
    /// All of them with fractions.
    case floatingTimes = "id_token_float_times_valid"
    case hugeExpiry = "id_token_huge_exp"
    case negativeExpiry = "id_token_negative_exp"
    case hugeAuthenticationTime = "id_token_huge_auth_time"
    case timesAsText = "id_token_string_times_valid"
    case oldAuthenticationTime = "id_token_old_auth_time"
    case missingAuthenticationTime = "id_token_missing_auth_time"

    // What the request asked for (steps 11 and 12, and the carriers' context).
    case wrongNonce = "id_token_wrong_nonce"
    case missingNonce = "id_token_missing_nonce"
    case lowerLevel = "id_token_wrong_acr"
    case missingLevel = "id_token_missing_acr"
    case wrongContext = "id_token_wrong_context"
    case missingContext = "id_token_missing_context"
    case wrongAccessTokenHash = "id_token_wrong_at_hash"
    case rightAccessTokenHash = "id_token_at_hash_valid"

    // The form.
    case duplicateMembers = "id_token_duplicate_members"
    case unknownMembers = "id_token_unknown_members_valid"
    case huge = "id_token_huge"
    case deep = "id_token_deep"
    case garbage = "id_token_garbage"
}
