internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/users/me`: the signed-in user, as flat strings, which is what stock apps decode.
struct CurrentUserEndpoint: Sendable {
    let accounts: UserAccounts
    let providers: ProviderDirectory

    func show(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let user = try await accounts.user(under: principal.session)
        return Self.answer(user, principal.session, by: providers)
    }

    /// `PATCH`: what is there is set, null takes it away, the rest stays (RFC 7396).
    func edit(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let edits = try ProfileFields.edits(in: context.request)
        let user = try await accounts.edit(edits, under: principal.session)
        return Self.answer(user, principal.session, by: providers)
    }

    func erase(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        try await accounts.erase(under: principal.session)
        return .emptyObject
    }

    /// - Parameter providers: whose word it may be that an address is verified.
    static func answer(_ user: User, _ session: Session, by providers: ProviderDirectory) -> HTTPResponse {
        let profile = user.profile
        let shown = profile.shown
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", user.id.rawValue)
            body.member("username", profile.username(reference: user.reference))
            body.member("zenkey_sub", user.reference)
            // Earlier versions stored whatever a carrier sent, and an import may.
            for attribute in shown.members where names.contains(attribute.name) {
                body.member(attribute.name, attribute.value)
            }
            for attribute in shown.objects.members where names.contains(attribute.name) {
                body.member(attribute.name, json: attribute.json)
            }
            for contact in Contact.allCases where shown[contact.rawValue] != nil {
                // A text like all others here, where stock apps decode nothing else.
                body.member(contact.verifiedName, providers.isVerified(contact, in: profile) ? "true" : "false")
            }
            body.saidByUserAlone(profile)
            body.claims(profile.claims(of: session.provider))
        }
        return .secretJSON(writer.bytes)
    }

    /// Whether a contact is verified is told in our own way.
    private static let names = AttributeNames.any.subtracting(Contact.allCases.map(\.verifiedName))
}

extension HTTPResponse {
    /// Done, and there is nothing to tell. Not 204: stock iOS apps take 200 only.
    static var emptyObject: HTTPResponse { .secretJSON(Array("{}".utf8)) }
}
