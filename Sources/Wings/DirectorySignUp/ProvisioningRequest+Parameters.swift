package import Accounts
package import SignIn
internal import Syntax

/// A request as apps post it.
extension ProvisioningRequest {
    /// What an app posts for somebody who wants an account, or another credential for one.
    package enum Parameter: String, ParameterNames {
        case provider
        case clientID = "client_id"
        case username, email
        case displayName = "display_name"
        case name
        case deliveryMethod = "delivery_method"
        case authenticatorType = "authenticator_type"

        /// The embedded samples send what the directory's API of 2021 takes: the address under every name it has.
        package var form: ParameterForm {
            switch self {
            case .username: ParameterForm(["user_name", "external_id"])
            case .deliveryMethod: ParameterForm(["binding_token_delivery_method"])
            default: ParameterForm.ofSDKs[rawValue] ?? ParameterForm()
            }
        }
    }

    /// Of each text.
    package static let maximumBytes = 255

    /// Checks what was posted. Nothing but the request decides, so that it tells nothing of who is known.
    ///
    /// - Parameters:
    ///   - parameters: finds a parameter by its name; an empty one counts as absent.
    ///   - needsAddress: whether there must be one for mails; a recovery finds it by the name.
    /// - Throws: `ServiceError.invalidParameter` for the first one that does not fit.
    package init(
        _ kind: Kind, _ parameters: (Parameter) -> String?, needsAddress: Bool
    ) throws(ServiceError) {
        let username = try Self.checked(.username, parameters)
        var email = try Self.checked(.email, parameters)
        if let email, !Self.isAddress(email) {
            throw .invalidParameter(ParameterError("email", "is no e-mail address"))
        }
        if let username, Self.isAddress(username) {
            // An address names its owner, and the mail must go there.
            guard email.map({ Self.normalized($0) == Self.normalized(username) }) ?? true else {
                throw .invalidParameter(ParameterError("email", "must be the username where that is an address"))
            }
            email = username
        }
        if username == nil, email == nil {
            throw .invalidParameter(ParameterError("username", "is missing, and so is email"))
        }
        if needsAddress, email == nil {
            throw .invalidParameter(ParameterError("email", "is missing, and username is no e-mail address"))
        }
        var displayName = try Self.checked(.displayName, parameters)
        if displayName == nil { displayName = try Self.checked(.name, parameters) }
        self.init(kind, username: username, email: email, displayName: displayName)
    }

    /// Whether a text may be somebody's address (RFC 5321 §4.1.2, without quotes): what mail can't reach is the
    /// directory's to say.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last, !local.isEmpty else { return false }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && !labels.contains(where: \.isEmpty)
            && text.unicodeScalars.allSatisfy { !" ,;:<>()[]\\\"".unicodeScalars.contains($0) }
    }

    private static func checked(
        _ parameter: Parameter, _ parameters: (Parameter) -> String?
    ) throws(ServiceError) -> String? {
        guard let text = parameters(parameter), !text.isEmpty else { return nil }
        let name = parameter.rawValue
        guard text.utf8.count <= maximumBytes else {
            throw .invalidParameter(ParameterError(name, "is longer than \(maximumBytes) bytes"))
        }
        if let fault = VisibleText.fault(of: text) { throw .invalidParameter(ParameterError(name, fault.rawValue)) }
        return text
    }
}
