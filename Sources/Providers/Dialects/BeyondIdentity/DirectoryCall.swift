public import Crypto
public import HTTPClient
internal import JSON
public import Syntax

/// A call of the API by which a provider's directory of users is kept: Beyond Identity's of 2021, whose binding tokens
/// are only ever mailed, and the present one, whose links may be returned.
public enum DirectoryCall: Sendable, Equatable {
    /// 2021: makes a user, and has the first mail sent.
    case addUser(externalID: String, email: String, userName: String, displayName: String)
    /// 2021: has another mail sent.
    case recoverUser(externalID: String)
    /// Makes an identity.
    case addIdentity(username: String, email: String?, displayName: String)
    /// Finds identities by their username (RFC 7644 §3.4.2.2).
    case findIdentity(username: String)
    /// Has an identity get another credential.
    case bind(id: String, CredentialBinding)

    static let maximumNameBytes = 255

    /// Whether it is answered by a document and changes nothing.
    public var changesNothing: Bool { if case .findIdentity = self { true } else { false } }

    /// What the directory must not be heard repeating.
    public var secrets: [String] {
        switch self {
        case .addUser(let externalID, let email, let userName, let displayName):
            [externalID, email, userName, displayName]
        case .recoverUser(let externalID): [externalID]
        case .addIdentity(let username, let email, let displayName):
            [username, email, displayName].compactMap(\.self)
        case .findIdentity(let username): [username]
        case .bind(let id, _): [id]
        }
    }

    /// Makes the request.
    ///
    /// - Parameters:
    ///   - base: where the API is.
    ///   - token: proves that it is us.
    /// - Throws: `.refusedEndpoint` for a name that can't stand in a path.
    public func request(
        below base: EndpointURL, token: Secret, timeout: Duration, policy: OutboundPolicy
    ) throws(ProviderCallError) -> OutboundRequest {
        let url = try url(below: base)
        var headers = [(name: "Authorization", value: "Bearer \(token.revealedText)")]
        headers.append((name: "Accept", value: "application/json"))
        guard let body else {
            return OutboundRequest(
                method: .get, url: url, headers: headers, body: [], timeout: timeout, policy: policy)
        }
        headers.append((name: "Content-Type", value: "application/json"))
        return OutboundRequest(
            method: .post, url: url, headers: headers, body: body, timeout: timeout, policy: policy,
            finishesWhenCancelled: true)
    }

    private func url(below base: EndpointURL) throws(ProviderCallError) -> EndpointURL {
        let path: String
        switch self {
        case .addUser: path = "/users"
        case .recoverUser: path = "/recover-user"
        case .addIdentity, .findIdentity: path = "/identities"
        case .bind(let id, _):
            guard Self.isName(id), id.utf8.allSatisfy(\.isUnreserved), id != ".", id != ".." else {
                throw .refusedEndpoint("credential-binding-jobs")
            }
            path = "/identities/\(id)/credential-binding-jobs"
        }
        guard let url = try? EndpointURL(configured: BaseURL(base.text).address(path)) else {
            throw .refusedEndpoint(path)
        }
        guard case .findIdentity(let username) = self else { return url }
        return url.appending(query: [("filter", "traits.username eq \(JSONValue.string(username).text)")])
    }

    /// Nil for what is a GET.
    private var body: [UInt8]? {
        var writer = JSONWriter()
        switch self {
        case .findIdentity: return nil
        case .addUser(let externalID, let email, let userName, let displayName):
            writer.object { body in
                body.member("binding_token_delivery_method", "email")
                body.member("external_id", externalID)
                body.member("email", email)
                body.member("user_name", userName)
                body.member("display_name", displayName)
            }
        case .recoverUser(let externalID):
            writer.object { body in
                body.member("binding_token_delivery_method", "email")
                body.member("external_id", externalID)
            }
        case .addIdentity(let username, let email, let displayName):
            writer.object { body in
                body.name("identity")
                body.object { identity in
                    identity.member("display_name", displayName)
                    identity.name("traits")
                    identity.object { traits in
                        traits.member("type", "traits_v0")
                        traits.member("username", username)
                        if let email { traits.member("primary_email_address", email) }
                    }
                }
            }
        case .bind(_, let binding):
            writer.object { body in
                body.name("job")
                body.object { job in
                    job.member("delivery_method", binding.delivery.rawValue)
                    if let uri = binding.postBindingRedirectURI { job.member("post_binding_redirect_uri", uri) }
                    job.member("authenticator_config_id", binding.authenticatorConfigID)
                }
            }
        }
        return writer.bytes
    }

    static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= maximumNameBytes }
}

/// How an identity gets another credential.
public struct CredentialBinding: Sendable, Equatable {
    public enum Delivery: String, Sendable {
        case returned = "RETURN"
        case email = "EMAIL"
    }

    public var delivery: Delivery
    public var authenticatorConfigID: String
    public var postBindingRedirectURI: String?

    public init(_ delivery: Delivery, authenticatorConfigID: String, postBindingRedirectURI: String?) {
        (self.delivery, self.authenticatorConfigID) = (delivery, authenticatorConfigID)
        self.postBindingRedirectURI = postBindingRedirectURI
    }
}

extension JSONValue {
    /// As it is written, for where JSON's texts stand in other grammars.
    fileprivate var text: String { String(decoding: serialized, as: UTF8.self) }
}
