import Foundation

/// One place where the user is signed in.
public struct UserSession: Sendable, Equatable, Decodable {
    public let id: String
    /// When the user signed in there.
    public let createdAt: Date
    /// When its refresh token ends.
    public let expiresAt: Date
    /// The name of the section of the provider that the user signed in with.
    public let provider: String
    public let clientID: String
    /// What the app there said it is, in `User-Agent`: anybody's text.
    public let userAgent: String?
    /// Whether it is this very session.
    public let isCurrent: Bool

    private enum CodingKeys: String, CodingKey {
        case id = "session_id", createdAt = "created_at", expiresAt = "expires_at", provider, clientID = "client_id"
        case userAgent = "user_agent", isCurrent = "current"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Date {
            Date(timeIntervalSince1970: try members.decode(TimeInterval.self, forKey: key))
        }
        id = try members.decode(String.self, forKey: .id)
        createdAt = try time(.createdAt)
        expiresAt = try time(.expiresAt)
        provider = try members.decode(String.self, forKey: .provider)
        clientID = try members.decode(String.self, forKey: .clientID)
        userAgent = try members.decodeIfPresent(String.self, forKey: .userAgent)
        isCurrent = try members.decode(Bool.self, forKey: .isCurrent)
    }
}

/// Where a browser goes to add an identity to the user.
public struct LinkAddress: Sendable, Equatable, Decodable {
    /// Good once, for the browser that opens it first.
    public let url: URL
    /// For how many seconds, from when the answer came.
    public let expires: Int

    private enum CodingKeys: String, CodingKey {
        case url, expires = "expires_in"
    }
}

extension LinkAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "LinkAddress(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
