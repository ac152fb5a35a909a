package import HTTPServer
package import Providers
package import SignIn
import Syntax

/// What every endpoint that takes an authorization code does first: it asks the limit, reads the parameters, and finds
/// the provider they are for.
package struct CodeParameters: Sendable {
    let providers: ProviderRegistry
    private let signIns: AddressLimiter?

    init(providers: ProviderRegistry, limits: AddressLimits) {
        self.providers = providers
        signIns = limits.limiter(of: .signIns)
    }

    package func read<Name: ProviderParameterNames>(
        _ context: RequestContext, _ table: ParameterTable<Name>
    ) throws(ServiceError) -> (parameters: RequestParameters<Name>, provider: Provider) {
        try admit(context)
        let parameters = try RequestParameters(of: context.request, table)
        let provider = try providers.provider(
            named: parameters[.provider], clientID: parameters[.clientID], namesNetwork: parameters[.mccmnc] != nil)
        context.provider = provider.configuration.name
        return (parameters, provider)
    }

    /// - Throws: `ServiceError.rateLimited`.
    func admit(_ context: RequestContext) throws(ServiceError) {
        try signIns?.count(context.network)
    }

    static func authorizedResponse(
        _ parameters: RequestParameters<AuthorizedResponse.Parameter>, for provider: Provider,
        _ context: RequestContext
    ) throws(ServiceError) -> AuthorizedResponse {
        do throws(ParameterError) {
            let response = try AuthorizedResponse({ parameters[$0] }, for: provider)
            context.call.correlationID = response.correlationID
            return response
        } catch {
            throw .invalidParameter(error)
        }
    }
}

extension HTTPRequest {
    private static let maximumUserAgentLength = 200

    /// What the app says it is, cut to what a list of sessions needs, in which people see it: what is not as it looks
    /// is left out of it. A character can have any number of bytes, so the cut one may have four for each at most.
    package var userAgent: String? {
        guard let text = header("user-agent") else { return nil }
        if text.utf8.count <= Self.maximumUserAgentLength, text.isPrintableASCII { return text }
        let cut = String(text.prefix(Self.maximumUserAgentLength))
        if cut.utf8.count <= 4 * Self.maximumUserAgentLength, VisibleText.fault(of: cut) == nil { return cut }
        return String(decoding: cut.utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
