internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import WebAPI

/// `POST /auth/zenkey-async-signin/notification`: a carrier says what has come of a request of our server's.
///
/// It shows the token that it was given with the push, so there is no API key; and since anybody can send something, an
/// address that sends what is refused is soon asked to wait.
struct PushNotificationEndpoint: Sendable {
    let notifications: PushNotifications

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        do throws(ServiceError) {
            try await receive(context)
        } catch {
            // What shows the token of a request is about somebody's sign-in, and told as one in the log.
            if context.provider != nil { context.signIn = .begun }
            throw error
        }
        return .emptyObject
    }

    private func receive(_ context: RequestContext) async throws(ServiceError) {
        guard let bearer = context.token.text else { throw .invalidToken }
        let members = try Self.members(of: context.request)
        let notification: PushNotification
        do throws(PushNotificationError) {
            notification = try PushNotification(members)
        } catch {
            throw .invalidParameter(ParameterError(error.member, "is missing or can't be taken"))
        }
        let outcome = try await notifications.receive(notification, bearer: bearer, in: context.call) { names in
            (context.provider, context.kind) = (names.provider, .pushed)
            context.call.correlationID = names.correlationID
        }
        guard case .signedIn(let signedIn) = outcome else { return }
        context.signIn = signedIn.migrated ? .migrated : signedIn.isNewUser ? .newUser : .signedIn
    }

    /// The members of a body of either type. What is no text is not looked at.
    private static func members(of request: HTTPRequest) throws(ServiceError) -> (String) -> String? {
        switch try RequestBody(request) {
        case .json(let object): return { object[$0]?.string }
        case .form(let form):
            guard Set(form.fields.map(\.name)).count == form.fields.count else {
                throw .invalidRequest("A parameter is there twice.")
            }
            return { form[$0] }
        }
    }
}
