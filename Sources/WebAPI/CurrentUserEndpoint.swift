internal import Accounts
internal import Apps
internal import HTTPServer
internal import JSON
internal import SignIn

/// `/users/me`: the signed-in user, as flat strings, which is what stock apps decode.
struct CurrentUserEndpoint: Sendable {
    let accounts: UserAccounts
    let providers: ProviderDirectory

    func show(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let user = try await accounts.user(under: principal.session)
        return Self.answer(user, principal.session, by: providers, as: context.responses)
    }

    /// `PATCH`: what is there is set, null takes it away, the rest stays (RFC 7396).
    func edit(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let edits = try ProfileFields.edits(in: context.request)
        let user = try await accounts.edit(edits, under: principal.session)
        return Self.answer(user, principal.session, by: providers, as: context.responses)
    }

    func erase(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        try await accounts.erase(under: principal.session)
        return .emptyObject
    }

    /// - Parameters:
    ///   - providers: whose word it may be that an address is verified.
    ///   - shape: how whoever asks is told of a user.
    static func answer(
        _ user: User, _ session: Session, by providers: ProviderDirectory, as shape: ResponseShape
    ) -> HTTPResponse {
        let profile = user.profile
        let shown = profile.shown
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", user.id.rawValue)
            body.member("username", profile.username(reference: user.reference))
            body.member("zenkey_sub", user.reference)
            switch shape {
            case .flat: body.flatProfile(shown, names) { providers.isVerified($0, in: profile) }
            case .zenkeyAndroid: body.nestedProfile(shown, names) { providers.isVerified($0, in: profile) }
            }
            body.saidByUserAlone(profile)
            body.claims(profile.claims(of: session.provider))
        }
        return .secretJSON(writer.bytes)
    }

    /// Whether a contact is verified is told in our own way.
    private static let names = AttributeNames.any.subtracting(Contact.allCases.map(\.verifiedName))
}

extension JSONWriter {
    /// A text for each attribute, which is all that most stock apps decode; the address is the object that it was.
    fileprivate mutating func flatProfile(
        _ shown: Attributes, _ names: AttributeNames, isVerified: (Contact) -> Bool
    ) {
        // Earlier versions stored whatever a carrier sent, and an import may.
        for attribute in shown.members where names.contains(attribute.name) {
            member(attribute.name, attribute.value)
        }
        for attribute in shown.objects.members where names.contains(attribute.name) {
            member(attribute.name, json: attribute.json)
        }
        for contact in Contact.allCases where shown[contact.rawValue] != nil {
            member(contact.verifiedName, isVerified(contact) ? "true" : "false")
        }
    }
}

extension HTTPResponse {
    /// Done, and there is nothing to tell. Not 204: stock iOS apps take 200 only.
    static var emptyObject: HTTPResponse { .secretJSON(Array("{}".utf8)) }
}
