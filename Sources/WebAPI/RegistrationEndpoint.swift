internal import Apps
internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /users`: the link ticket back, with what the app has asked its user (``LinkTicket``). Other fields, a password
/// above all, are ignored: who signs in by a carrier has none. Without a ticket it is a sign-up, where a provider has a
/// directory of users.
struct RegistrationEndpoint: Sendable {
    /// The ticket, and what users say about themselves (``ProfileFields``).
    enum Parameter: String, ParameterNames {
        case clientID = "client_id"
        case linkTicket = "link_ticket"
        case zenkeySubject = "zenkey_sub"
        case replacesToken = "replaces_token"
        case username, name
        case givenName = "given_name"
        case familyName = "family_name"
        case nickname, email
        case phoneNumber = "phone_number"
        case postalCode = "postal_code"
        case birthdate, locale, zoneinfo, picture
    }

    private static let parameters = ParameterTable<Parameter>()

    let register: RegisterWithTicket
    let apps: AppRegistry
    let sessions: Sessions
    let code: CodeParameters
    /// What becomes of a registration without a ticket; nil where there is none.
    let withoutTicket: Handler?

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        try code.admit(context)
        let parameters = try RequestParameters(context.request, Self.parameters)
        // Stock apps hand back what stood where they expect a carrier's subject.
        let (ticket, reference) = (parameters[.linkTicket], parameters[.zenkeySubject])
        if let ticket, let reference, ticket != reference {
            throw .invalidRequest("The parameters link_ticket and zenkey_sub are both there and differ.")
        }
        guard let ticket = ticket ?? reference, !ticket.isEmpty else {
            if let withoutTicket { return try await withoutTicket(context) }
            throw .invalidRequest("The parameter link_ticket is missing.")
        }
        try await refuseSession(context)
        let app = try provenApp(context)
        let profile = try ProfileFields.attributes(in: parameters)
        let replaced = try await sessions.replaced(by: parameters[.replacesToken], for: app)
        let answer = try await register.register(
            ticket, clientID: parameters[.clientID], by: app, profile: profile, userAgent: context.request.userAgent,
            replacing: replaced, as: parameters.digest(of: .register, context))
        return TokenEndpoint.answer(answer, status: .created)
    }

    /// The app of ours that the request comes from; nil for who posts codes.
    private func provenApp(_ context: RequestContext) throws(ServiceError) -> RegisteredApp? {
        let credentials = try ClientCredentials(context.request, ClientParameters(context.request))
        guard let app = credentials.app(in: apps) else { return nil }
        try credentials.prove(app, in: apps)
        return app
    }

    /// A signed-in user with a ticket wants to add what it proves to the account they have: nobody asks for a second
    /// account.
    private func refuseSession(_ context: RequestContext) async throws(ServiceError) {
        guard let token = try context.token.optional() else { return }
        _ = try await sessions.principal(of: token)
        throw .invalidRequest(
            "The request shows a session, and POST /users makes another user: POST /users/me/identities links the ticket."
        )
    }
}
