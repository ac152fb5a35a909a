internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `/users/me/identities`: by which carriers and providers the user signs in. Subjects are never shown.
struct IdentitiesEndpoint: Sendable {
    let accounts: UserAccounts
    let link: LinkIdentity
    let code: CodeParameters

    func list(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let identities = try await accounts.identities(under: principal.session)
        var writer = JSONWriter()
        writer.array { list in for identity in identities { list.identity(identity) } }
        return .secretJSON(writer.bytes)
    }

    /// `POST`: one more, by a code of its own; 201, or 200 when it was this user's already.
    func add(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let (parameters, provider) = try code.read(context, SignInEndpoint.parameters)
        try principal.demand(provider: provider.configuration.name)
        let response = try CodeParameters.authorizedResponse(parameters, for: provider, context)
            .repeatable(
                as: parameters.digest(of: .link(principal.session.id), context, leavesProof: true),
                at: provider, isProven: true)
        let outcome = try await link.link(response, with: provider, session: principal.session, in: context.call)
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
