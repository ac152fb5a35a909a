public import HTTPClient
internal import OpenIDConnect
import Synchronization
public import System

/// The page on which a user chooses a carrier, as far as discovery has named one.
final class DiscoveryPage: Sendable {
    private let named = Mutex<String?>(nil)
    /// For the case that discovery has to be asked.
    let asked: CachedFetch<String>

    init(bounds: CacheBounds) {
        asked = CachedFetch(bounds: bounds)
    }

    /// What discovery named last.
    var lastNamed: String? { named.withLock(\.self) }

    /// Notes what discovery answers with, where it is a page.
    func note(_ failure: ProviderFailure) {
        guard case .noCarrier(let page?) = failure else { return }
        named.withLock { $0 = page }
    }
}

extension Provider {
    /// Where to send a user whom the carrier no longer knows: the configured page, else the one that discovery named
    /// last, else the one it names when it is asked to let the user choose (`prompt=true`).
    ///
    /// - Returns: nil when there is none.
    public func discoveryUI(
        through transport: any HTTPTransport, deadline: Deadline, now: MonotonicTime
    ) async -> String? {
        if let page = configuration.discoveryUI ?? discoveryPage.lastNamed { return page }
        guard case .zenkey(let discoveryURL) = configuration.profile,
            let url = try? ZenKeyDiscovery(discoveryURL: discoveryURL, provider: self).url(asking: ("prompt", "true"))
        else { return nil }
        let (request, page, bounds) = (documentRequest(url, deadline, now), discoveryPage, configuration.cacheBounds)
        let allowsLoopbackHTTP = configuration.allowsLoopbackHTTP
        return try? await page.asked.value(now: now, leavesWhenCancelled: true) {
            do throws(HTTPClientError) {
                let response = try await RepeatingTransport(transport, within: deadline).send(request)
                let result = try? Discovery.result(of: response, allowLoopbackHTTP: allowsLoopbackHTTP)
                guard case .notFound(let named?) = result else { return .failure(.noCarrier(discoveryUI: nil)) }
                page.note(.noCarrier(discoveryUI: named))
                return .success(Fetched(named, freshness: bounds.usual))
            } catch {
                return .failure(.transport(error))
            }
        }
    }
}
