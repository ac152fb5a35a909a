/// The demo's clients at the dialects: one with a secret for the server, and those of apps.
enum DialectClients {
    static let appleApp = "com.example.app"
    static let appleService = "com.example.web"
    static let firebaseNumber = "218471001337"
    static let firebaseProject = "gatehouse-demo"
    /// What a token is made out to that was meant for somebody else's app.
    static let foreignApp = "com.example.another-app"

    /// Of a dialect's web or server client.
    static func server(at issuer: SimulatedIssuer) -> String {
        switch issuer {
        case .apple: appleService
        case .firebase: firebaseNumber
        default: "gatehouse-\(issuer.rawValue)"
        }
    }

    /// Of its apps.
    static func apps(at issuer: SimulatedIssuer) -> [String] {
        switch issuer {
        case .apple: [appleApp]
        case .firebase: []
        case .google: ["gatehouse-google-ios", "gatehouse-google-android"]
        default: ["gatehouse-\(issuer.rawValue)-app"]
        }
    }

    /// - Parameter redirectURIs: addresses registered for all, beside their own.
    static func demo(redirectURIs: [String]) -> [SimulatedClient] {
        SimulatedIssuer.dialects.flatMap { issuer in
            [server(issuer, redirectURIs)] + apps(at: issuer).map { app($0, issuer, redirectURIs) }
        }
    }

    private static func server(_ issuer: SimulatedIssuer, _ redirectURIs: [String]) -> SimulatedClient {
        SimulatedClient(
            id: server(at: issuer), name: "Gatehouse demo", secret: "demo-secret-\(issuer.rawValue)",
            redirectURIs: ["com.example.app:/callback"] + redirectURIs, authentication: authentication(issuer),
            issuers: [issuer], requiresPKCE: issuer != .apple && issuer != .line)
    }

    /// Apple's apps redeem codes with a secret; elsewhere an app has none.
    private static func app(_ id: String, _ issuer: SimulatedIssuer, _ redirectURIs: [String]) -> SimulatedClient {
        SimulatedClient(
            id: id, name: "Gatehouse demo", secret: "", redirectURIs: ["com.example.app:/callback"] + redirectURIs,
            authentication: issuer == .apple ? [.apple] : [.publicClient], issuers: [issuer],
            requiresPKCE: issuer != .apple)
    }

    private static func authentication(_ issuer: SimulatedIssuer) -> Set<SimulatedClient.Authentication> {
        switch issuer {
        case .apple: [.apple]
        case .cognito: [.basic]
        default: [.basic, .post]
        }
    }
}
