internal import HTTPServer
package import Pages
package import Providers
package import SignIn

/// `/auth/{provider}/logo`: the picture by which people know a provider, from the operator's file. All loops share its
/// bytes.
///
/// An SVG that is opened by itself is a document of our origin: it was looked through at the start, and here its policy
/// lets it have its own style and nothing else, in an origin of its own.
struct LogoEndpoint: Sendable {
    static let suffix = "/logo"

    /// CSP Level 3 §6.1 to §6.4; `sandbox` takes the origin away.
    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

    let providers: ProviderRegistry

    /// - Parameter name: of the provider in the configuration.
    static func path(of name: String) -> String { "/auth/\(name)\(suffix)" }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard let name = request.parameters["provider"],
            let logo = providers.provider(named: name)?.configuration.logo
        else { return ErrorAnswer(.unknownPath).response(requestID: request.id) }
        var response = HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: logo.mediaType.rawValue),
                (name: "Content-Security-Policy", value: Self.policy),
                (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer"),
                (name: "Cache-Control", value: "public, max-age=3600"),
            ], body: logo.bytes)
        response.hasCommonFields = false
        return response
    }
}

extension ProviderRegistry {
    /// What people choose from, in the order in which they are offered it.
    ///
    /// - Parameters:
    ///   - providers: those that may be chosen.
    ///   - address: where the sign-in goes on with one of them.
    package func offer(_ providers: [Provider], at address: (Provider) -> String) -> [ProviderChoice] {
        inOrder(providers).map { provider in
            let configuration = provider.configuration
            return ProviderChoice(
                name: configuration.displayName,
                logo: configuration.logo.map { _ in LogoEndpoint.path(of: configuration.name) },
                address: address(provider))
        }
    }
}
