internal import HTTPServer
internal import Pages
internal import Providers
internal import SignIn
internal import System
internal import WebAPI

/// `GET /auth/{provider}/events/deletion`: the page that says what became of a request to be forgotten, for everybody
/// with its code.
///
/// The code proves itself, and nothing of it is shown, looked up or logged. Every code of ours gets the same words but
/// for the day.
struct DeletionEndpoint: Sendable {
    let receiver: EventReceiver
    let providers: ProviderRegistry
    let limits: AddressLimits
    let pages: BrowserPages

    func respond(_ context: RequestContext) async -> BrowserAnswer {
        do throws(ServiceError) {
            guard let time = try requestTime(context) else {
                try limits.count(context.network, as: .failedRefreshes)
                return pages.failure(.notFound, .unknownConfirmation, context.request)
            }
            let day = String(CalendarTime.rfc3339(time).prefix { $0 != "T" })
            return .page(.ok, pages.pages(for: context.request).deletion(day: day))
        } catch {
            return pages.failure(error, context.request)
        }
    }

    private func requestTime(_ context: RequestContext) throws(ServiceError) -> Int64? {
        let parameters = try AuthorizationParameters(context.request)
        guard let name = context.request.parameters["provider"],
            let provider = providers.provider(named: name),
            let code = parameters[.code]
        else { return nil }
        context.provider = provider.configuration.name
        return receiver.requestTime(ofConfirmation: code, at: provider)
    }
}
