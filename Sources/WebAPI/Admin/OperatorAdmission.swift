internal import Accounts
internal import HTTPServer
internal import SignIn
internal import System

/// Whom the operations for operators answer: who asks, what their roles are, and why they ask, is looked at here and
/// nowhere else.
package struct OperatorAdmission: Sendable {
    /// In which field an operator says why.
    static let reasonField = "X-Reason"

    let operators: Operators
    let limits: AddressLimits
    let clock: Clock
    /// Whether looks at a person take a reason.
    let demandsReasons: Bool

    /// Who sends a request; nil for who shows no token.
    func admit(_ request: HTTPRequest) throws(ServiceError) -> AdmittedOperator? {
        try operators.admit(request, limits, now: clock.seconds)
    }

    /// Admits a request and asks its handler.
    ///
    /// - Throws: `ServiceError.invalidAdminToken`, `.expiredAdminToken`, `.rateLimited`, `.insufficientRole`,
    ///   `.invalidReason` for what is not admitted; and what the handler throws.
    func answer(
        _ context: RequestContext, _ act: OperatorAct, with handler: Handler
    ) async throws(ServiceError) -> HTTPResponse {
        guard let person = try admit(context.request) else { throw .invalidAdminToken }
        context.admitted = person
        let reason = try reason(context.request)
        context.origin.act(as: .operator(person.name), because: reason?.text)
        try demand(act, of: context)
        return try await handler(context)
    }

    /// Holds a request to what only its parameters tell that it is.
    func demand(_ act: OperatorAct, of context: RequestContext) throws(ServiceError) {
        guard let person = context.admitted, act.isOpen(to: person.roles) else {
            throw .insufficientRole(
                name: context.admitted?.name ?? "", has: Self.names(context.admitted?.roles ?? []),
                needs: Self.names(act.roles))
        }
        guard act.looksAtSomebody, demandsReasons, context.origin.origin.reason == nil else { return }
        throw .invalidReason("is missing: admin.reasons demands one for a look at a person")
    }

    /// In the order in which they are written down.
    private static func names(_ roles: Set<OperatorRole>) -> [String] {
        OperatorRole.allCases.filter(roles.contains).map(\.rawValue)
    }

    private func reason(_ request: HTTPRequest) throws(ServiceError) -> AuditReason? {
        let given = request.headers(Self.reasonField.lowercased())
        guard let text = given.first else { return nil }
        guard given.count == 1 else { throw .invalidReason("is there twice") }
        do throws(AuditReason.Fault) { return try AuditReason(text) } catch { throw .invalidReason(error.description) }
    }
}

/// Answers all operators alike whom it is open to.
struct OperatorPage: Sendable {
    let page: OpenHandler

    func respond(_ context: RequestContext) async throws(ServiceError) -> HTTPResponse { page(context.request) }
}
