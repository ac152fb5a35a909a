import Accounts
import Apps
import HTTPClient
import Logging
import Pages
import SignIn
internal import System
import Telemetry
import WebAPI

/// What the API of every loop is made of, but for the loop's own HTTP client.
struct APIParts: Sendable {
    let repository: any AccountRepository
    let keys: SessionKeys
    let providers: ProviderRegistry
    let memory: ProcessMemory
    let registration: RegistrationMode
    let apps: AppRegistry
    let branding: Branding
    let associationFiles: AssociationFiles
    let browser: BrowserSignIn.Limits
    let clock: Clock
    let apiKeys: APIKeys
    let limits: AddressLimits
    let documentation: Documentation
    let wings: APIExtensions
    let observers: Observers
    let hstsSeconds: Int?
    let failedSignIns: FailedSignInCounter
    let metrics: MetricRegistry
    let logger: Logger

    func api(tokenIssuer: TokenIssuer, client: HTTPClient) -> WebAPI {
        WebAPI(
            providers: providers,
            useCases: UseCases(
                repository: repository, tokenIssuer: tokenIssuer, providers: providers, memory: memory,
                transport: client, registration: registration, apps: apps,
                browser: browser, clock: clock, observers: observers),
            apps: apps, branding: branding, associationFiles: associationFiles, apiKeys: apiKeys, limits: limits,
            documentation: documentation, wings: wings, hstsSeconds: hstsSeconds, failedSignIns: failedSignIns,
            metrics: metrics, logger: logger)
    }
}
