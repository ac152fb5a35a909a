/// A sign-in that succeeded.
public struct SignedIn: Sendable, Equatable {
    /// What the service says of the user.
    public let user: User
    /// Whether the sign-in has made the user.
    public let isNewUser: Bool
    /// Whether the user has come from another carrier, and was recognised.
    public let hasMigrated: Bool
    /// Whether the carrier says that the user had a number elsewhere by which another user is known here: the two may
    /// be one person's accounts, who may make them one (``GatehouseSession/merge(absorbing:)``).
    public let isMergeOffered: Bool
    /// What the user has declined at the provider of the `scope` that the app has posted.
    public let declinedScopes: [String]

    init(_ answer: API.Answer) throws(GatehouseError) {
        let about: About = try answer.decoded()
        user = about.user
        isNewUser = answer.body["new_user"] as? Bool == true
        hasMigrated = answer.body["migrated"] as? Bool == true
        isMergeOffered = answer.body["merge_offered"] as? Bool == true
        declinedScopes = answer.body["declined_scopes"] as? [String] ?? []
    }

    private struct About: Decodable {
        let user: User
    }
}

/// What an app has been granted by a sign-in through the browser, or by a registration.
public struct SessionGrant: Sendable, Equatable {
    /// The user's number. Compare it with the user whom you had in mind where there is a receipt: another one may have
    /// signed in.
    public let userID: Int64
    /// What of the scope was granted, of an app of the service's; empty of who posts codes.
    public let scopes: [String]
    /// What the user has declined at the provider of what was asked for.
    public let declinedScopes: [String]
    /// As ``SignedIn/isMergeOffered``.
    public let isMergeOffered: Bool
    /// Proof of what the user has approved with the sign-in; without one nothing is approved.
    public let receipt: Receipt?

    /// - Throws: `GatehouseError.anotherUser` for a receipt of somebody else's.
    init(_ answer: API.Answer, _ session: StoredSession) throws(GatehouseError) {
        guard let userID = Int64(session.user) else { throw .unreachable }
        self.userID = userID
        scopes = (answer.body["scope"] as? String)?.split(separator: " ").map(String.init) ?? []
        declinedScopes = answer.body["declined_scopes"] as? [String] ?? []
        isMergeOffered = answer.body["merge_offered"] as? Bool == true
        receipt = (answer.body["receipt"] as? String).map(Receipt.init(jwt:))
        if let receipt, receipt.subject != API.claim("sub", of: session.accessToken) { throw .anotherUser }
    }
}

/// What has come back to the app's redirect URI from the service's own `/auth/authorize`, and what belongs to it.
public struct BrowserCode: Sendable {
    let members: [String: String]
    let clientID: String

    /// - Parameters:
    ///   - clientID: the app's, by its section (`app.NAME.clientID`).
    ///   - redirectURI: the one that the code came back to; nil where the service is to know it by itself.
    ///   - codeVerifier: of the challenge that it was asked for with (RFC 7636 §4.1).
    public init(_ code: String, clientID: String, redirectURI: String?, codeVerifier: String) {
        var members = [
            "grant_type": "authorization_code", "code": code, "client_id": clientID, "code_verifier": codeVerifier,
        ]
        members["redirect_uri"] = redirectURI
        self.members = members
        self.clientID = clientID
    }
}

extension BrowserCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "BrowserCode(<redacted>)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
