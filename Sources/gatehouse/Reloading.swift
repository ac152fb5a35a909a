import Crypto
import HTTPClient
import Logging
import Observability
import Providers
import ServiceLifecycle
import Settings
import UnixSignals
import WebAPI

/// Reads the configuration again on SIGHUP and takes over what may change while requests run: client secrets, API keys,
/// the admin token, the log level and the files with trust anchors. A faulty configuration changes nothing.
struct Reloading: Service {
    let file: String?
    let providers: [Provider]
    let apiKeys: APIKeys
    let admin: AdminListener
    let trust: TrustStore
    let threshold: LogThreshold
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await reload() }
    }

    private func reload() async {
        switch Settings.loadOfProcess(file: file) {
        case .faulty(let faults, _):
            for fault in faults { logger.error("the configuration is faulty and changes nothing: \(fault)") }
        case .valid(let settings, _, _):
            take(settings)
            for file in await trust.reload() {
                logger.error("the trust anchors can't be read, those from before stay", metadata: ["file": "\(file)"])
            }
            logger.notice("client secrets, API keys, admin token, log level and trust anchors were read again")
        }
    }

    private func take(_ settings: Settings) {
        threshold.level = settings.log.level.loggerLevel
        apiKeys.replace(with: settings.apiKeys.map { Secret($0.revealed) })
        admin.token.take(settings.admin, boundOnLoopback: admin.isOnLoopback)
        for section in settings.providers {
            let renewed = ProviderConfiguration(section)
            for provider in providers
            where provider.configuration.name == renewed.name && provider.configuration.clientID == renewed.clientID {
                provider.renew(authentication: renewed.authentication)
            }
        }
    }
}
