internal import HTTPServer
internal import Providers
internal import SignIn

/// What every endpoint that takes an authorization code does first: it asks the limit, reads the parameters, and finds
/// the provider they are for.
struct CodeParameters: Sendable {
    let providers: ProviderDirectory
    let limits: AddressLimits

    func read(
        _ request: HTTPRequest, _ notes: inout RequestNotes
    ) throws(ServiceError) -> (parameters: RequestParameters, provider: Provider) {
        try admit(request)
        let parameters = try RequestParameters(request)
        let provider = try providers.provider(
            named: parameters["provider"], clientID: parameters["client_id"],
            namesNetwork: parameters["mccmnc"] != nil)
        notes.provider = provider.configuration.name
        notes.trouble = ProviderTrouble()
        return (parameters, provider)
    }

    /// - Throws: `ServiceError.rateLimited`.
    func admit(_ request: HTTPRequest) throws(ServiceError) {
        try limits.count(request, as: .signIns)
    }

    static func authorizedResponse(
        _ parameters: RequestParameters, for provider: Provider, _ notes: inout RequestNotes
    ) throws(ServiceError) -> AuthorizedResponse {
        do throws(InvalidParameter) {
            let response = try AuthorizedResponse({ parameters[$0] }, for: provider)
            notes.correlationID = response.correlationID
            return response
        } catch {
            throw .invalidParameter(error)
        }
    }
}

extension HTTPRequest {
    private static let longestUserAgent = 200

    /// What the app says it is, cut to what a list of sessions needs.
    var userAgent: String? {
        // No text has more characters than bytes.
        header("user-agent").map {
            $0.utf8.count <= Self.longestUserAgent ? $0 : String($0.prefix(Self.longestUserAgent))
        }
    }
}
