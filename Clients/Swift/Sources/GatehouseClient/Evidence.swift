/// What a provider's SDK, or its page, has given to the app: what Gatehouse signs its user in by.
public struct Evidence: Sendable {
    private(set) var members: [String: String]

    /// An authorization code.
    ///
    /// - Parameters:
    ///   - redirectURI: the one that it came back to; nil for codes that have none, as those of Google's and Apple's
    ///     SDKs.
    ///   - codeVerifier: of the challenge that it was asked for with (RFC 7636 §4.1); nil where there was none.
    ///   - network: the `mccmnc` of the user's carrier, six digits, for ZenKey.
    ///   - issuer: the `iss` that came back with it, if one did (RFC 9207).
    public static func code(
        _ code: String, redirectURI: String? = nil, codeVerifier: String? = nil, network: String? = nil,
        nonce: String? = nil, issuer: String? = nil
    ) -> Evidence {
        var evidence = Evidence(members: ["code": code])
        evidence["redirect_uri"] = redirectURI
        evidence["code_verifier"] = codeVerifier
        evidence["mccmnc"] = network
        evidence["nonce"] = nonce
        evidence["iss"] = issuer
        return evidence
    }

    /// An ID token of a provider's SDK.
    ///
    /// - Parameters:
    ///   - nonce: what the app has drawn. Unless the provider's section says otherwise, the SDK is given its SHA-256 in
    ///     hexadecimal, and this is the text that was hashed.
    ///   - accessToken: what the SDK gave beside it, if anything.
    ///   - code: likewise; Apple gives one.
    ///   - user: Apple's JSON with the user's name, which comes the first time only.
    public static func idToken(
        _ idToken: String, nonce: String? = nil, accessToken: String? = nil, code: String? = nil, user: String? = nil
    ) -> Evidence {
        var evidence = Evidence(members: ["id_token": idToken])
        evidence["nonce"] = nonce
        evidence["access_token"] = accessToken
        evidence["code"] = code
        evidence["user"] = user
        return evidence
    }

    /// Any other parameter of the sign-in, by its name in the API, such as `acr_values`.
    public subscript(name: String) -> String? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// - Parameter provider: the name of its section, where there are several.
    func members(at provider: String?) -> [String: String] {
        var members = members
        members["provider"] = provider ?? members["provider"]
        return members
    }
}

extension Evidence: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows names, and nothing of what would sign somebody in.
    public var description: String { "Evidence(\(members.keys.sorted().joined(separator: ", ")))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
