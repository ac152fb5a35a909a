internal import Accounts
internal import HTTPServer
internal import JSON
internal import Providers
internal import SignIn

/// `POST /auth/transaction`: the signed-in user has approved one transaction; the answer is a receipt for it.
struct TransactionEndpoint: Sendable {
    private static let parameters = ParameterTable<TransactionRequest.Parameter>()

    let approve: ApproveTransaction
    let code: CodeParameters

    func respond(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let (parameters, provider) = try code.read(context, Self.parameters)
        try principal.demand(provider: provider.configuration.name)
        let approval: TransactionRequest
        do throws(ParameterError) {
            approval = try TransactionRequest({ parameters[$0] }, for: provider)
                .repeatable(
                    as: parameters.digest(
                        of: .transaction(principal.session.id), context, leavesProof: true), at: provider)
        } catch {
            throw .invalidParameter(error)
        }
        let receipt = try await approve.approve(approval, with: provider, session: principal.session, in: context.call)
        var writer = JSONWriter()
        writer.object { $0.member("receipt", receipt) }
        return .secretJSON(writer.bytes)
    }
}
