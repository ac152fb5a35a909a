internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /auth/transaction`: the signed-in user has approved one transaction; the answer is a receipt for it.
struct TransactionEndpoint: Sendable {
    let sessions: Sessions
    let approve: ApproveTransaction
    let code: CodeParameters

    func respond(to request: HTTPRequest, _ notes: inout RequestNotes) async throws(ServiceError) -> HTTPResponse {
        let session = try await sessions.session(of: request)
        let (parameters, provider) = try code.read(request, &notes)
        let approval: TransactionRequest
        do throws(InvalidParameter) {
            approval = try TransactionRequest({ parameters[$0] }, for: provider)
        } catch {
            throw .invalidParameter(error)
        }
        let receipt = try await approve.approve(approval, with: provider, session: session, trouble: notes.trouble)
        var writer = JSONWriter()
        writer.object { $0.member("receipt", receipt) }
        return .secretJSON(writer.bytes)
    }
}
