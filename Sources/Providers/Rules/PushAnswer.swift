public import HTTPClient
internal import JOSE
internal import JSON

/// What a carrier answers to a request that it ask its subscriber.
public enum PushAnswer: Sendable, Equatable {
    /// It asks.
    ///
    /// - Parameters:
    ///   - id: what the carrier calls the request.
    ///   - expiresIn: for how long it asks, in seconds; nil where it does not say.
    case accepted(id: String, expiresIn: Int64?)
    /// It does not ask this user, whatever the reason: nobody may learn that by us.
    case refusedForUser

    private static let maximumIDBytes = 512

    /// Reads the answer.
    ///
    /// - Throws: `ProviderCallError` for a carrier that fails, or that refuses our client or our request for any user.
    public init(_ response: OutboundResponse) throws(ProviderCallError) {
        guard (200..<300).contains(response.status) else {
            guard (400..<500).contains(response.status), response.status != 429,
                let document = try? response.parsedObject(), let error = Self.error(document, response.status)
            else { throw .status(response.status) }
            self = try Self.refusal(error, document)
            return
        }
        let document = try response.parsedObject()
        if let error = Self.error(document, response.status) {
            self = try Self.refusal(error, document)
            return
        }
        guard let id = document["auth_req_id"]?.string, !id.isEmpty, id.utf8.count <= Self.maximumIDBytes else {
            throw .invalidMember("auth_req_id")
        }
        // A text at ZenKey's carriers, a number by the book.
        let expiresIn = document["expires_in"].flatMap { NumericDate($0)?.seconds }
        self = .accepted(id: id, expiresIn: expiresIn.flatMap { $0 > 0 ? $0 : nil })
    }

    private static func error(_ document: JSONValue, _ status: Int) -> OAuthError? {
        Dialect.standard.meaning(of: document, status, to: .other)?.error
    }

    private static func refusal(_ error: OAuthError, _ document: JSONValue) throws(ProviderCallError) -> PushAnswer {
        // What fails may pass, but that a phone is off is the user's.
        let isPhone = document["error"]?.string == AuthorizationRefusal.deviceUnavailable.rawValue
        switch error {
        case .clientFault: throw .refused(error)
        case .temporarilyUnavailable where !isPhone: throw .refused(error)
        default: return .refusedForUser
        }
    }
}

/// What a carrier says has come of a request, beside the token that shows that it is the carrier.
public struct PushNotification: Sendable {
    public enum Result: Sendable {
        case approved(TokenResponse)
        case refused(AuthorizationRefusal)
    }

    private static let maximumTextBytes = 2048

    /// What the carrier calls the request.
    public let carrierID: String
    public let state: String
    public let result: Result

    /// Reads a notification's members.
    ///
    /// - Parameter member: finds one by its name; an empty one counts as absent.
    /// - Throws: the name of the first member that is missing or can't be taken.
    public init(_ member: (String) -> String?) throws(PushNotificationError) {
        func required(
            _ name: String, longest: Int = Self.maximumTextBytes
        ) throws(PushNotificationError) -> String {
            guard let text = member(name), !text.isEmpty, text.utf8.count <= longest else {
                throw PushNotificationError(member: name)
            }
            return text
        }
        carrierID = try required("auth_req_id")
        state = try required("state")
        if member("error") != nil {
            result = .refused(AuthorizationRefusal(code: try required("error")))
            return
        }
        let accessToken = try required("access_token", longest: AccessTokenRules.maximumTokenBytes)
        guard let idToken = member("id_token"), !idToken.isEmpty else {
            throw PushNotificationError(member: "id_token")
        }
        guard
            let tokens = TokenResponse(
                accessToken: accessToken, idToken: idToken,
                terms: TokenTerms(
                    refreshToken: member("refresh_token"), lifetime: member("expires_in"), scope: member("scope")))
        else {
            throw PushNotificationError(member: "access_token")
        }
        result = .approved(tokens)
    }
}

/// A member of a notification that is missing or can't be taken.
public struct PushNotificationError: Error, Equatable, Sendable {
    public let member: String
}
