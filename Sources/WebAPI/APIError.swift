internal import Accounts
internal import HTTPServer
internal import SignIn

/// Everything that can end a request of the API without the answer it asked for.
enum APIError: Error {
    case signIn(SignInError)
    /// The body is neither JSON nor a form, or a parameter in it is wrong; the sentence says what.
    case invalidRequest(String)
    case unsupportedMediaType
    case unsupportedGrantType
    case invalidAPIKey
    /// This client has done something too often; in so many seconds it may again.
    case rateLimited(AddressLimit, retryAfterSeconds: Int64)
    case notFound
    case methodNotAllowed(allow: [HTTPMethod])
    /// The admin token is missing or wrong; or there is none, and the request may come from a web page.
    case invalidAdminToken
    /// An operator asks for a user who is not there.
    case unknownUser
    /// The store did not do what an operator asked.
    case store(RepositoryError)
    /// HTTP itself was broken, before there was a request.
    case violation(ProtocolViolation)
}
