package import Accounts
package import Apps
package import HTTPClient
package import Logging
package import Settings
package import SignIn
package import System
package import Telemetry
package import WebAPI

/// A capability of its own, as a value: whatever is central (router, documents, errors, limits, jobs; the copy, the
/// seals, the sweep and the erasure of its tables) is derived from the list of these.
package struct Wing: Sendable {
    package let settings: any WingSettings.Type
    /// What it adds to every store, also where its settings turn it off: what is in them is copied and sealed anew.
    package let tables: [Table]
    /// What its settings turn on.
    package let open: @Sendable (Settings, Observers) -> OpenWing

    package init<Configured: WingSettings>(
        _ settings: Configured.Type, tables: [Table] = [],
        _ open: @escaping @Sendable (Configured, Settings, Observers) -> OpenWing
    ) {
        (self.settings, self.tables) = (settings, tables)
        self.open = { open($0.wing(settings), $0, $1) }
    }
}

/// A wing by its settings. One that is off costs nothing, and its routes are not there.
package struct OpenWing: Sendable {
    package var api: APIExtension
    /// How often one address may do what it limits, in a minute; nil: as often as it likes.
    package var limits: [AddressLimit: Int?]
    /// What it is towards the browser's sign-in, as an app of our own; nothing where it signs nobody in.
    package var apps: [RegisteredApp]
    /// What is done again and again while the server runs.
    package var jobs: @Sendable (JobParts) -> [HousekeepingJob]
    /// What delivers that it has written down to be told to providers.
    package var carriers: @Sendable (JobParts) -> [any OutboxCarrier] = { _ in [] }
    /// What must have come to its end before the store is closed.
    package var finish: @Sendable () async -> Void = {}

    package init(
        api: APIExtension, limits: [AddressLimit: Int?] = [:], apps: [RegisteredApp] = [],
        jobs: @escaping @Sendable (JobParts) -> [HousekeepingJob] = { _ in [] }
    ) {
        (self.api, self.limits, self.apps, self.jobs) = (api, limits, apps, jobs)
    }
}

/// What is done now and then is made of.
package struct JobParts: Sendable {
    package let repository: any AccountRepository
    package let providers: ProviderRegistry
    /// A loop's HTTP client, which sign-ins take too.
    package let transport: any HTTPTransport
    package let clock: Clock
    package let observers: Observers
    package let logger: Logger

    package init(
        repository: any AccountRepository, providers: ProviderRegistry, transport: any HTTPTransport, clock: Clock,
        observers: Observers, logger: Logger
    ) {
        (self.repository, self.providers, self.transport) = (repository, providers, transport)
        (self.clock, self.observers, self.logger) = (clock, observers, logger)
    }
}

/// Something that must be done again and again while the server runs.
package struct HousekeepingJob: Sendable {
    /// How long after one run the next one begins.
    package let interval: Duration
    /// What the log says when a run fails.
    package let complaint: String
    /// Whether it removes for good what the time of day says is old enough: it waits while that can't be relied on.
    package let needsSteadyClock: Bool
    package let work: @Sendable () async throws -> Void

    package init(
        interval: Duration, complaint: String, needsSteadyClock: Bool = false,
        work: @escaping @Sendable () async throws -> Void
    ) {
        (self.interval, self.complaint, self.needsSteadyClock) = (interval, complaint, needsSteadyClock)
        self.work = work
    }
}

/// The wings of this service: each is one folder beside this file, and one line here.
extension Wing {
    package static let all: [Wing] = [
        .push, .directorySignUp, .vault, .accountPage, .keyService, .events, .securityContact,
    ]
}
