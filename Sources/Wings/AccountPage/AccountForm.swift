internal import Accounts
internal import HTTPServer
internal import SignIn
internal import WebAPI

/// What a form of the account page posts.
struct AccountForm: Sendable {
    /// What is to end.
    enum Act: Equatable, Sendable {
        case session(SessionID)
        /// All sessions of an app.
        case app(String)
        /// The same, and what was agreed to.
        case consent(String)
        case everything
    }

    let token: String?
    let act: Act

    /// - Throws: `ServiceError.invalidRequest`.
    init(_ request: HTTPRequest) throws(ServiceError) {
        let fields = try AuthorizationParameters(request).all
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        token = value("token")
        act =
            switch (value("end"), value("session"), value("app")) {
            case ("session", let id?, _):
                if let id = SessionID(id) { .session(id) } else { throw Self.unreadable }
            case ("app", _, let client?): .app(client)
            case ("consent", _, let client?): .consent(client)
            case ("everything", _, _): .everything
            default: throw Self.unreadable
            }
    }

    private static let unreadable = ServiceError.invalidRequest(
        "The form must name what to end: session, app, consent or everything.")
}
