internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `/users/me/identities`: by which carriers and providers the user signs in. Subjects are never shown.
struct IdentitiesEndpoint: Sendable {
    /// That instead of a code, or an ID token, a ticket proves the identity.
    private enum TicketParameter: String, ParameterNames {
        case linkTicket = "link_ticket"
    }

    private static let ticketParameters = ParameterTable<TicketParameter>()

    let accounts: UserAccounts
    let link: LinkIdentity
    let linkWithTicket: LinkWithTicket
    let code: CodeParameters

    func list(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let identities = try await accounts.identities(under: principal.session)
        var writer = JSONWriter()
        writer.array { list in for identity in identities { list.identity(identity) } }
        return .secretJSON(writer.bytes)
    }

    /// `POST`: one more, by a code of its own, or by the ticket that a sign-in of nobody's was answered with; 201, or
    /// 200 when it was this user's already.
    func add(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let ticket = try RequestParameters(context.request, Self.ticketParameters)
        if let text = ticket[.linkTicket] { return try await add(text, context, principal, ticket) }
        let (parameters, provider) = try code.read(context, SignInEndpoint.parameters)
        try principal.demand(provider: provider.configuration.name)
        let response = try CodeParameters.authorizedResponse(parameters, for: provider, context)
            .repeatable(
                as: parameters.digest(of: .link(principal.session.id), context, leavesProof: true),
                at: provider, isProven: true)
        let outcome = try await link.link(response, with: provider, session: principal.session, in: context.call)
        (context.signIn, context.kind) = (.linked, response.kind)
        var writer = JSONWriter()
        writer.identity(outcome.identity)
        return .secretJSON(writer.bytes, outcome.isNew ? .created : .ok)
    }

    private func add(
        _ ticket: String, _ context: RequestContext, _ principal: Principal,
        _ parameters: RequestParameters<TicketParameter>
    ) async throws(ServiceError) -> HTTPResponse {
        try code.admit(context)
        let others = try RequestParameters(of: context.request, SignInEndpoint.parameters)
        guard others[.code] == nil, others[.idToken] == nil else {
            throw .invalidRequest("The parameter link_ticket is there beside another proof of an identity: send one.")
        }
        let outcome = try await linkWithTicket.link(
            ticket, by: principal, as: parameters.digest(of: .link(principal.session.id), context))
        var writer = JSONWriter()
        writer.identity(outcome.identity)
        return .secretJSON(writer.bytes, outcome.isNew ? .created : .ok)
    }

    func remove(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        guard let number = context.request.parameters["identity_id"].flatMap({ Int64($0) }) else { throw .notFound }
        try await accounts.unlink(IdentityID(rawValue: number), under: principal.session)
        return .emptyObject
    }
}

extension JSONWriter {
    /// An identity without its subject.
    mutating func identity(_ identity: Identity) {
        object { body in
            body.member("identity_id", identity.id.rawValue)
            body.member("provider", identity.provider)
            body.member("issuer", identity.subject.issuer)
            body.member("origin", identity.origin.rawValue)
            body.member("linked_at", identity.linkedAt)
            body.member("last_sign_in_at", identity.lastSignInAt)
            if let stopped = identity.emailStoppedAt { body.member("email_stopped_at", stopped) }
        }
    }
}
