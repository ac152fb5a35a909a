internal import HTTPServer
internal import Providers
internal import SignIn
import Syntax

/// What stands before everything that providers call: the one that is named in the path, and a limit.
///
/// What they send proves itself, so there is no API key; and since anybody can send something, an address that sends
/// what is refused is soon asked to wait.
struct ProviderDoor: Sendable {
    let providers: ProviderDirectory
    let limits: AddressLimits

    /// Finds the provider of the path, and counts what is refused for a fault of whoever has sent it.
    ///
    /// - Throws: `ServiceError.rateLimited`, `.unknownProvider`, and what `take` throws.
    func admit(
        _ context: RequestContext, _ take: (Provider) async throws(ServiceError) -> HTTPResponse
    ) async throws(ServiceError) -> HTTPResponse {
        try limits.refuseAfterFailures(context.network, of: .failedRefreshes)
        do throws(ServiceError) {
            let provider = try provider(of: context)
            context.trouble = ProviderTrouble()
            return try await take(provider)
        } catch {
            if Self.isSenders(error) { limits.countFailure(context.network, as: .failedRefreshes) }
            throw error
        }
    }

    private func provider(of context: RequestContext) throws(ServiceError) -> Provider {
        guard let name = context.request.parameters["provider"],
            let provider = providers.all.first(where: { $0.configuration.name.isExactly(name) })
        else { throw .unknownProvider }
        context.provider = provider.configuration.name
        return provider
    }

    /// Whether it is whoever has sent it that is to blame.
    static func isSenders(_ error: ServiceError) -> Bool {
        switch error {
        case .storageUnavailable, .providerUnavailable, .providerResting, .providerTimeout, .providerError, .overloaded:
            false
        default: true
        }
    }
}
