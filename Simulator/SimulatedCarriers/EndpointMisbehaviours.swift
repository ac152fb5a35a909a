/// What can be the matter with the token endpoint's answer, beside the ID token in it.
public enum TokenResponseMisbehaviour: String, Sendable, CaseIterable {
    case invalidClient = "token_invalid_client"
    case invalidGrant = "token_invalid_grant"
    case requestDenied = "token_request_denied"
    case accessDenied = "token_access_denied"
    case temporarilyUnavailable = "token_temporarily_unavailable"
    /// 503 with a time to come again, and the code untouched.
    case busy = "token_busy"
    case userNotFound = "token_user_not_found"
    case timedOut = "token_authentication_timed_out"
    case loginHint = "token_invalid_login_hint_token"
    /// 403 with a code of its own and a description that repeats the request, as some providers do.
    case unknownError = "token_unknown_error"
    /// 400 with an object for an error, as social networks have it.
    case nestedError = "token_nested_error"
    case serverError = "token_server_error"
    /// An error object under status 200.
    case errorInside200 = "token_error_inside_200"
    /// Status 400 with a page instead of an error object.
    case html400 = "token_html_400"
    case withoutIDToken = "token_without_id_token"
    case withoutAccessToken = "token_without_access_token"
    case wrongType = "token_type_mac"
    case typeInOddCase = "token_type_odd_case_valid"
    case withoutLifetime = "token_without_expires_in_valid"
    case lifetimeAsText = "token_expires_in_string_valid"
    /// Half a minute, so that the token is due for a refresh at once.
    case shortLived = "token_expires_in_30_valid"
    /// A refresh leaves the refresh token as it was, and names no other.
    case withoutRotation = "token_without_rotation_valid"
}

/// What can be the matter with userinfo.
public enum UserinfoMisbehaviour: String, Sendable, CaseIterable {
    case otherSubject = "userinfo_other_sub"
    case missingSubject = "userinfo_missing_sub"
    case array = "userinfo_array"
    /// A signed JWT (OpenID Connect Core §5.3.2), rightly made.
    case signed = "userinfo_signed_jwt_valid"
    case signedBadly = "userinfo_signed_jwt_bad_signature"
    case html = "userinfo_html"
    case empty = "userinfo_empty"
    case unauthorized = "userinfo_401"
    /// What names the user in the directory is no text; of the issuer like Beyond Identity.
    case numericExternalID = "userinfo_numeric_external_id"
    /// Flat where it is nested otherwise, with the levels as `email_verified: 1` and its like; of a carrier that has
    /// levels.
    case flatLevels = "userinfo_flat_levels_valid"
}

/// What can be the matter with a configuration, from discovery or from the issuer itself.
public enum DocumentMisbehaviour: String, Sendable, CaseIterable {
    case otherIssuer = "configuration_issuer_mismatch"
    case withoutIssuer = "configuration_without_issuer"
    /// An issuer with a query, which no issuer may have.
    case issuerWithQuery = "configuration_issuer_with_query"
    case withoutTokenEndpoint = "configuration_without_token_endpoint"
    case withoutKeys = "configuration_without_jwks_uri"
    /// Userinfo is then all that takes its access tokens.
    case withoutIntrospection = "configuration_without_introspection_valid"
    /// It has one at every issuer, which TelenorID+ does not announce.
    case withIntrospection = "configuration_with_introspection_valid"
    /// A token endpoint by plain http on a host that is not this machine.
    case plainHTTP = "configuration_http_endpoint"
    /// A token endpoint on the link-local address where clouds keep their secrets.
    case linkLocal = "configuration_link_local_endpoint"
    case providerNotFound = "configuration_provider_not_found"
    /// No `custom_logout_endpoint`, as elsewhere.
    case withoutCustomLogout = "configuration_without_custom_logout_valid"
    /// Another error object under status 200.
    case errorInside200 = "configuration_error_inside_200"
}

/// What can be the matter with a key set.
public enum KeySetMisbehaviour: String, Sendable, CaseIterable {
    case withoutKeyIDs = "keys_without_kid_valid"
    /// Two RSA keys, neither with a `kid`.
    case severalWithoutKeyIDs = "keys_several_without_kid"
    case empty = "keys_empty"
    /// The signing key's `kid` on an RSA key of 1024 bits.
    case weak = "keys_weak_rsa"
    /// Keys of a type nobody knows, and a symmetric one, beside the right ones.
    case withUnknownTypes = "keys_with_unknown_types_valid"
}

/// What can be the matter with the authorization response.
public enum AuthorizationMisbehaviour: String, Sendable, CaseIterable {
    case wrongIssuer = "authorization_wrong_iss"
    case missingIssuer = "authorization_missing_iss"
    case wrongState = "authorization_wrong_state"
    case missingState = "authorization_missing_state"
    case accessDenied = "authorization_access_denied"
    case userNotFound = "authorization_user_not_found"
    case timedOut = "authorization_authentication_timed_out"
    /// In Apple's word for it.
    case userCancelled = "authorization_user_cancelled_authorize"
    case deviceUnavailable = "authorization_device_unavailable"
    case temporarilyUnavailable = "authorization_temporarily_unavailable"
    /// A code as long as some providers draw them; nothing is wrong with it.
    case longCode = "authorization_long_code"

    /// The error it answers with; nil when it spoils a code's answer.
    var error: String? {
        switch self {
        case .wrongIssuer, .missingIssuer, .wrongState, .missingState, .longCode: nil
        case .accessDenied: "access_denied"
        case .userCancelled: "user_cancelled_authorize"
        case .userNotFound: "user_not_found"
        case .timedOut: "authentication_timed_out"
        case .deviceUnavailable: "device_unavailable"
        case .temporarilyUnavailable: "temporarily_unavailable"
        }
    }
}

/// How a `custom_logout_endpoint` may refuse what is right.
public enum LogoutMisbehaviour: String, Sendable, CaseIterable {
    case refused = "logout_400"
    case unauthorized = "logout_401"
    /// What lies behind the endpoint has failed.
    case upstreamFailed = "logout_424"
}
