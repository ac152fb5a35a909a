internal import Accounts
internal import Apps
internal import HTTPServer
internal import Logging
internal import Providers
internal import Settings
internal import SignIn
internal import WebAPI

extension Wing {
    /// Providers' tokens of users, kept fresh: for services of ours, and for asking what a provider says now.
    package static let vault = Wing(VaultSettings.self) { configured, settings, _ in
        let refreshes = GrantRefreshes(areChecked: settings.session.providerCheckSeconds != nil)
        var wing = OpenWing(api: .vault(refreshes, configured)) { parts in
            let vault = TokenVault(
                repository: parts.repository, providers: parts.providers, refreshes: refreshes,
                transport: parts.transport, clock: parts.clock)
            let checks = settings.session.providerCheckSeconds.map { seconds in
                ProviderChecks(
                    repository: parts.repository, vault: vault, intervalSeconds: seconds, clock: parts.clock,
                    observers: parts.observers)
            }
            return [.lookAfter(vault)] + (checks.map { [.check($0, parts.logger)] } ?? [])
        }
        // Who asked may have gone, but what a refresh brings must be on disk.
        wing.finish = { await refreshes.finish() }
        return wing
    }
}

extension APIExtension {
    /// - Parameter refreshes: those that are under way in this process.
    static func vault(_ refreshes: GrantRefreshes, _ settings: VaultSettings) -> APIExtension {
        let shared = ProfileRefreshes(refreshes: refreshes, settings)
        var wing = APIExtension(
            isOn: { _ in true },
            operations: [
                .user(.post, "/users/me/refresh-profile", needs: .accountRead, VaultDescriptions.refreshProfile) {
                    ProviderTokenEndpoint($0, shared).refreshProfile
                },
                .userAndClient(.get, ProviderTokenEndpoint.path, needs: .tokens, VaultDescriptions.accessToken) {
                    ProviderTokenEndpoint($0, shared).accessToken
                },
            ])
        wing.requestSchemas = VaultDescriptions.requests
        wing.answerSchemas = VaultDescriptions.answers
        return wing
    }
}

/// What all loops share.
struct ProfileRefreshes: Sendable {
    /// How many may wait for each place.
    private static let waitingForEach = 16

    let refreshes: GrantRefreshes
    /// Of one user; nil: as often as one likes.
    let budget: Budget?
    /// Providers that are asked for a user's attributes again, by the user.
    let line: FairLine

    init(refreshes: GrantRefreshes, _ settings: VaultSettings) {
        self.refreshes = refreshes
        budget = settings.refreshesPerHourPerUser.map {
            Budget("profile refreshes", limit: Int64($0), seconds: 3600)
        }
        line = FairLine(
            places: settings.refreshesAtOnce, maximumWaiting: settings.refreshesAtOnce * Self.waitingForEach)
    }
}

extension ProviderTokenEndpoint {
    fileprivate init(_ services: APIServices, _ shared: ProfileRefreshes) {
        let vault = TokenVault(services.parts, shared.refreshes)
        self.init(
            vault: vault,
            profile: RefreshProfile(services.parts, vault: vault, budget: shared.budget, line: shared.line),
            providers: services.parts.providers)
    }
}

extension AddressLimit {
    static let profileRefreshes = AddressLimit(
        "profileRefreshes", "The provider was asked for this user's attributes too often within an hour.")
}

extension HousekeepingJob {
    /// Has the store take what refreshes have brought while it could take nothing.
    fileprivate static func lookAfter(_ vault: TokenVault) -> HousekeepingJob {
        HousekeepingJob(interval: .seconds(1), complaint: "refreshed tokens could not be stored") {
            await vault.storeWhatWaits()
        }
    }

    /// Asks providers again whether they still know whom they have vouched for.
    fileprivate static func check(_ checks: ProviderChecks, _ logger: Logger) -> HousekeepingJob {
        HousekeepingJob(interval: .seconds(60), complaint: "providers could not be asked again") {
            for report in try await checks.run() where report.answered > 0 { tell(report, logger) }
        }
    }

    /// What came of asking a provider again.
    private static func tell(_ report: ProviderChecks.Report, _ logger: Logger) {
        let metadata: Logger.Metadata = [
            "provider": "\(report.provider)", "answered": .stringConvertible(report.answered),
            "refused": .stringConvertible(report.refused), "ended": .stringConvertible(report.ended),
        ]
        if report.isStopped {
            logger.error(
                "the provider refuses too many to be believed: no sessions end, and it is not asked for an hour",
                metadata: metadata)
        } else {
            logger.info("the provider was asked again", metadata: metadata)
        }
    }
}
