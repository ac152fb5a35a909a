public import Crypto
import Synchronization

/// Our own apps and the services behind them, found by the names that they give. Their secrets may be replaced while it
/// is used.
public final class AppRegistry: Sendable {
    private struct Secrets {
        /// Of those apps that have one, by client ID.
        var ofApps: [String: Secret]
        /// By the id that the service gives.
        var ofResourceServers: [String: Secret]
    }

    private let apps: [String: RegisteredApp]
    private let secrets: Mutex<Secrets>

    public init(_ apps: [RegisteredApp], resourceServers: [ResourceServer]) {
        self.apps = Dictionary(apps.map { ($0.clientID, $0) }) { first, _ in first }
        secrets = Mutex(
            Secrets(
                ofApps: self.apps.compactMapValues(\.secret),
                ofResourceServers: Dictionary(resourceServers.map { ($0.id, $0.secret) }) { first, _ in first }))
    }

    /// In an order that is always the same.
    public var all: [RegisteredApp] { apps.values.sorted { $0.clientID < $1.clientID } }

    public subscript(clientID: String) -> RegisteredApp? { apps[clientID] }

    /// Whether there is anybody who may ask what a token is good for: a resource server, or an app with a secret.
    public var hasIntrospectors: Bool {
        secrets.withLock { !$0.ofResourceServers.isEmpty || !$0.ofApps.isEmpty }
    }

    /// Whether an RSA key is needed for ID tokens.
    public var hasRS256: Bool { apps.values.contains { $0.idTokenAlgorithm == .rs256 } }

    /// Takes other secrets from the next request on. Who has none gets none, and who has one keeps it where no other is
    /// given.
    public func renewSecrets(of apps: [RegisteredApp], _ resourceServers: [ResourceServer]) {
        secrets.withLock { secrets in
            for app in apps where secrets.ofApps[app.clientID] != nil {
                if let secret = app.secret { secrets.ofApps[app.clientID] = secret }
            }
            for server in resourceServers where secrets.ofResourceServers[server.id] != nil {
                secrets.ofResourceServers[server.id] = server.secret
            }
        }
    }

    /// Whether a secret is an app's, in a time that does not depend on where they differ; never for a public one.
    public func accepts(secret presented: String, of app: RegisteredApp) -> Bool {
        Self.isSame(secrets.withLock { $0.ofApps[app.clientID] }, presented)
    }

    /// Whether an id and a secret are those of a resource server.
    public func isResourceServer(_ id: String, secret presented: String) -> Bool {
        Self.isSame(secrets.withLock { $0.ofResourceServers[id] }, presented)
    }

    private static func isSame(_ secret: Secret?, _ presented: String) -> Bool {
        guard let secret else { return false }
        // Of equal length whatever is presented, so that the time tells nothing of the length either.
        return secret.withBytes { expected in
            constantTimeEqual(Digest.sha256.hash(expected), Digest.sha256.hash(presented.utf8.span))
        }
    }

    /// Whether scripts of a web origin may call the API.
    public func allows(origin: String) -> Bool { apps.values.contains { $0.origins.contains(origin) } }
}

/// A service that takes our access tokens and may ask what they are good for (RFC 7662).
public struct ResourceServer: Sendable, Equatable {
    public let id: String
    public let secret: Secret

    public init(id: String, secret: Secret) {
        (self.id, self.secret) = (id, secret)
    }
}
