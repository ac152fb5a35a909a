internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn
internal import Syntax

/// `POST /admin/users/{user_id}/identities`: gives a user an identity by an operator's word, and takes it from a user
/// who has it.
struct RepointIdentityEndpoint: Sendable {
    private enum Parameter: String, ParameterNames {
        case provider, issuer, subject
    }

    private static let parameters = ParameterTable<Parameter>()

    let store: AdminStore
    let providers: ProviderRegistry

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse {
        let user = try store.user(context.request)
        let parameters = try RequestParameters(context.request, Self.parameters)
        guard let issuer = parameters[.issuer], !issuer.isEmpty else {
            throw .invalidRequest("The parameter issuer is missing.")
        }
        let found = try provider(named: parameters[.provider], issuer: issuer)
        let stored = found.currentName(of: issuer)
        guard let subject = Subject.given(issuer: stored, value: parameters[.subject] ?? "") else {
            throw .invalidRequest(
                "The parameter subject must have 1 to \(String.maximumSubjectBytes) bytes, and no control characters."
            )
        }
        let provider = found.configuration.name
        let outcome = try await store.ask { repository, now throws(RepositoryError) in
            try await repository.repoint(subject, provider: provider, to: user, line: store.line(), now: now)
        }
        return .secretJSON(try Self.document(outcome, user).serialized)
    }

    /// An identity that no sign-in could ever have would be a slip.
    private func provider(named name: String?, issuer: String) throws(ServiceError) -> Provider {
        if let name, !name.isEmpty {
            guard let provider = providers.provider(named: name) else {
                throw .unknownProvider
            }
            guard provider.mayHaveIssuedAs(issuer) else {
                throw .invalidRequest("The provider would never take an ID token of that issuer.")
            }
            return provider
        }
        let fitting = providers.all.filter { $0.mayHaveIssuedAs(issuer) }
        guard let provider = fitting.first else {
            throw .invalidRequest("No provider would ever take an ID token of that issuer.")
        }
        guard fitting.count == 1 else {
            throw .invalidRequest("The parameter provider is missing, and several take ID tokens of that issuer.")
        }
        return provider
    }

    private static func document(_ outcome: RepointOutcome, _ user: UserID) throws(ServiceError) -> JSONValue {
        var members: [JSONObject.Member] = [("user_id", .integer(user.rawValue))]
        switch outcome {
        case .noSuchUser: throw .unknownUser
        case .alreadyThere: members.append(("outcome", "already_there"))
        case .linked(let identity):
            members += [("outcome", "linked"), ("identity", UserDocument.identity(identity))]
        case .moved(let identity, let former, let left):
            members += [
                ("outcome", "moved"), ("identity", UserDocument.identity(identity)),
                ("from_user_id", .integer(former.rawValue)), ("from_user_identities_left", .integer(Int64(left))),
            ]
        }
        return .object(JSONObject(members))
    }
}
