import Accounts
import AccountsSQLite
import Apps
import EventLoop
import HTTPClient
package import Logging
package import Observability
import Providers
import ServiceLifecycle
package import Settings
import SignIn
internal import System
package import UnixSignals
import WebAPI
import Wings

/// Reads the configuration again on SIGHUP and takes over what may change while requests run: client secrets and keys,
/// API keys, the admin tokens, the log level and the files with trust anchors, by the paths of the start. It names each
/// other key that has changed. A faulty configuration changes nothing.
package struct Reloading: Service, CustomStringConvertible {
    /// How the log names it. Without one, it would be spelled out with all that it holds.
    package var description: String { "reloading" }

    /// SIGHUP, trapped before the configuration was first read: what comes while the server starts waits.
    let signals: UnixSignalsSequence
    let file: String?
    /// What the server was started with.
    let effective: [EffectiveSetting]
    let providers: [Provider]
    let apiKeys: APIKeys
    let apps: AppRegistry
    let admin: AdminListener
    let trust: TrustStore
    let certificates: [ListenerCertificates]
    let manager: ServiceManager
    /// Where apps are answered.
    let address: SocketAddress
    let repository: any AccountRepository
    let keys: SessionKeys
    let clock: Clock
    let threshold: LogThreshold
    let logger: Logger

    package init(
        signals: UnixSignalsSequence, file: String?, effective: [EffectiveSetting], server: Server,
        threshold: LogThreshold, logger: Logger
    ) {
        (self.signals, self.file, self.effective) = (signals, file, effective)
        providers = server.providers
        apiKeys = server.apiKeys
        apps = server.apps
        admin = server.admin
        trust = server.trust
        certificates = server.certificates
        (manager, address) = (server.manager, server.address)
        repository = server.repository
        keys = server.keys
        clock = Clock.system
        (self.threshold, self.logger) = (threshold, logger)
    }

    package func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            manager.tell(.reloading)
            await reload()
            manager.tell(.ready("\(address)"))
        }
    }

    private func reload() async {
        switch Settings.loadOfProcess(file: file, wings: Wing.all.map(\.settings)) {
        case .faulty(let faults, _):
            for fault in faults { logger.error("the configuration is faulty and changes nothing: \(fault)") }
        case .valid(let settings, let renewed, _):
            await makeKeys(settings)
            take(settings)
            let ignored = ChangedKeys.needingRestart(from: effective, to: renewed, adminOnLoopback: admin.isOnLoopback)
            if !ignored.isEmpty {
                logger.warning(
                    "keys have changed that take effect with a restart only",
                    metadata: ["keys": "\(ignored.joined(separator: ", "))"])
            }
            for listener in certificates { listener.look(isAsked: true, logger) }
            for file in await trust.reload() {
                logger.error("the trust anchors can't be read, those from before stay", metadata: ["file": "\(file)"])
            }
            logger.notice(
                "client secrets, API keys, admin tokens, log level, certificates and the files of trust anchors were read again"
            )
        }
    }

    /// Before a provider is told in another way who we are, there must be something to sign it with.
    private func makeKeys(_ settings: Settings) async {
        let apps = AppRegistry(settings.apps, resourceServers: [])
        let needed = SigningKeyEntry.Purpose.needed(
            for: apps, settings.session.accessTokens,
            algorithms: settings.providers.reduce(into: []) { $0.formUnion($1.sharedKeys) })
        do throws(SessionKeys.LoadError) {
            try await keys.add(needed, in: repository, now: clock.seconds)
        } catch {
            logger.error("keys that the configuration asks for could not be made", metadata: ["reason": "\(error)"])
        }
    }

    private func take(_ settings: Settings) {
        threshold.level = settings.log.level
        apiKeys.replace(with: settings.apiKeys)
        apps.renewSecrets(of: settings.apps, settings.resourceServers)
        admin.operators.take(settings.admin, boundOnLoopback: admin.isOnLoopback)
        for renewed in settings.providers {
            for provider in providers
            where provider.configuration.name == renewed.name && provider.configuration.clientID == renewed.clientID {
                provider.renew(authentication: renewed.authentication)
                provider.renew(requestSigner: renewed.requestSigner)
                provider.renew(userAPI: renewed.userAPI)
            }
        }
    }
}
