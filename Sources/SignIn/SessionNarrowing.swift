public import Accounts
public import Apps
internal import Providers

/// Sessions that a narrower configuration has no room for any more. They end at their next refresh; those of an app
/// that is not there any more have no valid tokens at once.
public struct SessionNarrowing: Equatable, Sendable {
    public enum Reason: String, Sendable {
        case provider = "their provider is not configured any more"
        case app = "their app is not configured any more"
        case level = "their provider's minimumACR is above their level"
    }

    public let provider: String
    /// By its `client_id`; nil where an app posted a code.
    public let app: String?
    public let reason: Reason
    public let count: Int

    /// What the configuration ends of the sessions that there are.
    public static func of(
        _ counts: [SessionCount], providers: ProviderRegistry, apps: AppRegistry
    ) -> [SessionNarrowing] {
        var narrowed: [SessionNarrowing] = []
        for count in counts {
            let reason =
                count.app.map { apps[$0] == nil } == true
                ? Reason.app : reason(count.provider, count.acr, providers)
            guard let reason else { continue }
            if let index = narrowed.firstIndex(where: {
                $0.provider == count.provider && $0.app == count.app && $0.reason == reason
            }) {
                narrowed[index] = narrowed[index].with(count.count)
            } else {
                narrowed.append(Self(provider: count.provider, app: count.app, reason: reason, count: count.count))
            }
        }
        return narrowed
    }

    /// - Returns: nil where the configuration has room for it.
    static func reason(_ provider: String, _ acr: String?, _ providers: ProviderRegistry) -> Reason? {
        guard let provider = providers.provider(named: provider) else { return .provider }
        guard let minimum = provider.configuration.minimumACR else { return nil }
        return minimum.isMet(by: acr) ? nil : .level
    }

    private func with(_ more: Int) -> SessionNarrowing {
        SessionNarrowing(provider: provider, app: app, reason: reason, count: count + more)
    }
}
