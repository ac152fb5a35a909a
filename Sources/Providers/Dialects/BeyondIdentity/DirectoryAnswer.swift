public import HTTPClient
internal import JSON

/// What a directory says to a call.
public enum DirectoryAnswer: Sendable, Equatable {
    /// Of an account that was made, or gets another mail.
    ///
    /// - Parameter id: the directory's own name for it.
    case account(id: String)
    /// Those that were found, the first page of them.
    case identities([DirectoryIdentity], total: Int64)
    /// The job is made; the link is there where it is to be returned.
    case job(BindingJob)
    /// There is one of that name already.
    case taken
    /// It will never do it.
    case refused(status: Int)

    /// Reads the answer.
    ///
    /// - Throws: what may pass: a directory that is not well, or that refuses our token (401, 403).
    public init(_ response: OutboundResponse, to call: DirectoryCall) throws(ProviderCallError) {
        switch response.status {
        case 200..<300: break
        case 409: self = .taken; return
        case 401, 403, 408, 425, 429: throw .status(response.status)
        case 400..<500: self = .refused(status: response.status); return
        default: throw .status(response.status)
        }
        let document = try response.parsedObject()
        switch call {
        case .addUser, .recoverUser: self = .account(id: try Self.id(document["user"] ?? document, "internal_id"))
        case .addIdentity: self = .account(id: try Self.id(document["identity"] ?? document, "id"))
        case .findIdentity: self = try Self.identities(document)
        case .bind(_, let binding): self = .job(try BindingJob(document, binding.delivery))
        }
    }

    static func id(_ document: JSONValue, _ name: String) throws(ProviderCallError) -> String {
        guard let id = document[name]?.string, DirectoryCall.isName(id) else { throw .invalidMember(name) }
        return id
    }

    private static func identities(_ document: JSONValue) throws(ProviderCallError) -> DirectoryAnswer {
        guard let array = document["identities"]?.array else { throw .invalidMember("identities") }
        var found: [DirectoryIdentity] = []
        for element in array {
            let traits = element["traits"]
            found.append(
                DirectoryIdentity(
                    id: try id(element, "id"), username: traits?["username"]?.string,
                    email: traits?["primary_email_address"]?.string))
        }
        return .identities(found, total: document["total_size"]?.integer ?? Int64(found.count))
    }

    /// How long the directory wants to be left alone, in seconds (RFC 9110 §10.2.3); nil where it does not say, or
    /// names a date.
    public static func retryAfter(_ response: OutboundResponse) -> Int64? {
        guard response.status == 429 || response.status == 503 else { return nil }
        return response.header("Retry-After").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// An identity as a directory has it.
public struct DirectoryIdentity: Sendable, Equatable {
    public let id: String
    public let username: String?
    public let email: String?

    public init(id: String, username: String?, email: String?) {
        (self.id, self.username, self.email) = (id, username, email)
    }
}

/// A job by which an identity gets a credential.
public struct BindingJob: Sendable, Equatable {
    private static let maximumLinkBytes = 4096

    /// The person who follows it has a credential of the identity.
    public let link: String?
    public let id: String?

    /// - Throws: `.invalidMember` without a link where one is to be returned.
    init(_ document: JSONValue, _ delivery: CredentialBinding.Delivery) throws(ProviderCallError) {
        id = document["credential_binding_job"]?["id"]?.string
        guard delivery == .returned else {
            link = nil
            return
        }
        guard let link = document["credential_binding_link"]?.string, !link.isEmpty,
            link.utf8.count <= Self.maximumLinkBytes
        else { throw .invalidMember("credential_binding_link") }
        self.link = link
    }
}
