/// The parameters that an operation takes, one case each, under their snake_case names.
///
/// What reads a request reads it by these, so that a parameter that the operation does not declare can't be read.
///
///     enum Parameter: String, ParameterNames { case code, codeVerifier = "code_verifier" }
public protocol ParameterNames: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// What is known of a parameter beside its name. Nothing, unless a type says otherwise.
    var form: ParameterForm { get }
    /// What other operations honour and this one does not, though its sender counts on it: the security of a sign-in
    /// would be less than was asked for. Such a request is refused.
    static var unsupported: [String] { get }
}

extension ParameterNames {
    public var form: ParameterForm { ParameterForm.ofSDKs[rawValue] ?? ParameterForm() }
    public static var unsupported: [String] { [] }
}

/// How a parameter comes: under which other names, and as what else than text.
public struct ParameterForm: Sendable {
    /// What of JSON is taken for a parameter beside a string.
    public enum Alternative: Sendable {
        /// A whole number; it has lost its leading zeros, of which it gets back as many as make this width.
        case number(width: Int)
        /// A list of texts, which means the same texts with blanks between them.
        case list
        /// An object, of which the app's SDK has given it the text.
        case object
    }

    public var spellings: [String]
    public var alternative: Alternative?

    public init(_ spellings: [String] = [], or alternative: Alternative? = nil) {
        (self.spellings, self.alternative) = (spellings, alternative)
    }

    /// The camelCase spellings of the carriers' guides and SDKs, and what apps send as numbers, lists and objects.
    public static let ofSDKs: [String: ParameterForm] = [
        "client_id": ParameterForm(["clientID", "clientId"]),
        "redirect_uri": ParameterForm(["redirectURI", "redirectUri"]),
        "code_verifier": ParameterForm(["codeVerifier"]),
        "correlation_id": ParameterForm(["correlationID", "correlationId"], or: .number(width: 0)),
        "acr_values": ParameterForm(["acrValues"], or: .list),
        "sdk_version": ParameterForm(["sdkVersion"]),
        "grant_type": ParameterForm(["grantType"]),
        "refresh_token": ParameterForm(["refreshToken"]),
        "id_token": ParameterForm(["idToken"]),
        "access_token": ParameterForm(["accessToken"]),
        "mccmnc": ParameterForm(["mccMnc"], or: .number(width: 0)),
        "mcc": ParameterForm(or: .number(width: 0)),
        // A network code has three digits in ZenKey's world.
        "mnc": ParameterForm(or: .number(width: 3)),
        "login_hint": ParameterForm(["loginHint"]),
        "username": ParameterForm(["user_name"]),
        "display_name": ParameterForm(["displayName"]),
        "max_age": ParameterForm(or: .number(width: 0)),
        "postal_code": ParameterForm(or: .number(width: 0)),
        "identity_id": ParameterForm(or: .number(width: 0)),
        "user": ParameterForm(or: .object),
    ]
}

/// Those by which a request tells which provider it is for.
public protocol ProviderParameterNames: ParameterNames {
    static var provider: Self { get }
    static var clientID: Self { get }
    static var mccmnc: Self { get }
    // The SDK of 2019 sends the country's code and the network's apart.
    static var mcc: Self { get }
    static var mnc: Self { get }
}
