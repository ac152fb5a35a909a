internal import Accounts
internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /users/me/merge`: makes another account of the same person part of this one.
struct MergeEndpoint: Sendable {
    private enum Parameter: String, ParameterNames {
        case token
    }

    private static let parameters = ParameterTable<Parameter>()

    let merge: MergeAccounts
    let accounts: UserAccounts
    let code: CodeParameters

    func respond(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        try code.admit(context)
        guard let token = try RequestParameters(context.request, Self.parameters)[.token] else {
            throw .invalidRequest("The parameter token is missing: an access token of the account that goes.")
        }
        let merged = try await merge.merge(token, into: principal)
        let identities = try await accounts.identities(under: principal.session)
        var writer = JSONWriter()
        writer.object { body in
            body.member("user_id", merged.kept.rawValue)
            body.member("merged_user_id", merged.absorbed.rawValue)
            body.name("identities")
            body.array { list in for identity in identities { list.identity(identity) } }
        }
        return .secretJSON(writer.bytes)
    }
}
