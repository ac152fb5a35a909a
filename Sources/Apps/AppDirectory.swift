public import Crypto

/// Our own apps and the services behind them, found by the names that they give.
public struct AppDirectory: Sendable {
    private let apps: [String: RegisteredApp]
    private let resourceServers: [String: Secret]

    public init(_ apps: [RegisteredApp], resourceServers: [ResourceServer]) {
        self.apps = Dictionary(apps.map { ($0.clientID, $0) }) { first, _ in first }
        self.resourceServers = Dictionary(resourceServers.map { ($0.id, $0.secret) }) { first, _ in first }
    }

    /// In an order that is always the same.
    var all: [RegisteredApp] { apps.values.sorted { $0.clientID < $1.clientID } }

    public subscript(clientID: String) -> RegisteredApp? { apps[clientID] }

    /// Whether there is anybody who may ask what a token is good for: a resource server, or an app with a secret.
    public var hasIntrospectors: Bool { !resourceServers.isEmpty || apps.values.contains { $0.secret != nil } }

    /// Whether an RSA key is needed for ID tokens.
    public var hasRS256: Bool { apps.values.contains { $0.idTokenAlgorithm == .rs256 } }

    /// Whether an id and a secret are those of a resource server.
    public func isResourceServer(_ id: String, secret presented: String) -> Bool {
        guard let secret = resourceServers[id] else { return false }
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
        self.id = id
        self.secret = secret
    }
}
