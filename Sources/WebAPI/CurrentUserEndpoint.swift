package import Accounts
package import Apps
package import HTTPServer
import JSON
package import SignIn

/// `/users/me`: the signed-in user, as flat strings, which is what stock apps decode.
package struct CurrentUserEndpoint: Sendable {
    let accounts: UserAccounts
    let providers: ProviderRegistry

    func show(
        _ context: RequestContext, _ principal: Principal, _ user: User
    ) async throws(ServiceError) -> HTTPResponse {
        let tellsGiven = try Self.tellsGiven(context.request)
        return HTTPResponse.keptByReader(
            Self.answer(user, principal.session, by: providers, as: context.responses, tellsGiven: tellsGiven)
        ).unlessKnown(to: context.request)
    }

    /// Whether each attribute that a provider has given is to be told with whose word it is.
    private static func tellsGiven(_ request: HTTPRequest) throws(ServiceError) -> Bool {
        if request.query == nil { return false }
        return switch try QueryParameters(request).text("attributes") {
        case nil, "false": false
        case "true": true
        default: throw .invalidParameter(ParameterError("attributes", "is neither true nor false"))
        }
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
    ///   - shape: how the asking app is told of a user.
    ///   - tellsGiven: whether what providers have given is told once more, each attribute with whose word it is.
    package static func answer(
        _ user: User, _ session: Session, by providers: ProviderRegistry, as shape: ResponseShape,
        tellsGiven: Bool = false
    ) -> HTTPResponse {
        let profile = user.profile
        let shown = profile.shown
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", user.id.rawValue)
            body.member("username", profile.username(reference: user.reference))
            body.member("zenkey_sub", user.reference)
            switch shape {
            case .flat, .zenkeyIOS: body.flatProfile(shown, names) { providers.isVerified($0, in: profile) }
            case .zenkeyAndroid: body.nestedProfile(shown, names) { providers.isVerified($0, in: profile) }
            }
            body.saidByUserAlone(profile)
            body.claims(profile.claims(of: session.provider))
            if tellsGiven {
                body.name("attributes")
                body.object { given in
                    for attribute in profile.given where names.contains(attribute.name) {
                        given.given(attribute, in: profile, by: providers)
                    }
                }
            }
        }
        return .secretJSON(writer.bytes)
    }

    /// Whether a contact is verified is told in our own way.
    private static let names = AttributeNames.any.subtracting(Contact.allCases.map(\.verifiedName))
}

extension JSONWriter {
    /// An attribute with whose word it is: `{"value": …, "verified": …, "level": …, "provider": …, "at": …}`.
    fileprivate mutating func given(
        _ attribute: GivenAttribute, in profile: Profile, by providers: ProviderRegistry
    ) {
        let isSaid = attribute.assurance?.isVerified ?? false
        let isVerified = Contact(rawValue: attribute.name).map { providers.isVerified($0, in: profile) } ?? isSaid
        name(attribute.name)
        object { body in
            switch attribute.value {
            case .text(let text): body.member("value", text)
            case .json(let json): body.member("value", json: json)
            }
            body.member("verified", isVerified)
            // A level of a provider whose word does not count about this address is no level.
            if let level = attribute.assurance?.level, isVerified || !isSaid { body.member("level", Int64(level)) }
            if let provider = attribute.provider { body.member("provider", provider) }
            if let since = attribute.since { body.member("at", since) }
        }
    }

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
    /// What an app may keep that asks each time whether it is still so, and what no cache between keeps (RFC 9111
    /// §5.2.2.4, §5.2.2.7). Another user on the same device has another token.
    fileprivate static func keptByReader(_ answer: Self) -> Self {
        var answer = answer
        answer.headers.removeAll { $0.name == "Cache-Control" }
        answer.headers.append((name: "Cache-Control", value: "private, no-cache"))
        answer.headers.append((name: "Vary", value: "Authorization"))
        return answer
    }

    /// Done, and there is nothing to tell. Not 204: stock iOS apps take 200 only.
    package static var emptyObject: HTTPResponse { .secretJSON(Array("{}".utf8)) }
}
