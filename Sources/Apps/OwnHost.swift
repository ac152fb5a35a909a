public import Syntax

/// The host of this service, on which apps may have redirect URIs of theirs.
public struct OwnHost: Sendable {
    /// What the paths of this service begin with. All that lies below is taken, for what comes later too: an address
    /// that stands in an app on people's phones can't be changed any more.
    public static let reserved = [
        ".well-known", "account", "auth", "credential-binding-link", "docs", "healthz", "keyservice", "openapi.json",
        "recover-credential-binding-link", "recover-user", "users",
    ]

    private let issuer: EndpointURL

    /// - Parameter issuer: the public base URL of this service.
    /// - Returns: nil for what is no web address.
    public init?(issuer: String) {
        guard let issuer = try? EndpointURL(configured: issuer) else { return nil }
        self.issuer = issuer
    }

    /// Whether a redirect URI leads to a path that is this service's own, so that no app is ever reached there.
    public func isReserved(_ redirectURI: RedirectURI) -> Bool { path(of: redirectURI).map { isReserved($0) } ?? false }

    /// Whether an address leads to a path that is this service's own, such as a provider's callback, over http too.
    public func isOwn(_ address: String) -> Bool {
        guard let url = try? EndpointURL(configured: address), url.port == issuer.port, isHere(url) else {
            return false
        }
        return isReserved(url.path)
    }

    private func isHere(_ url: EndpointURL) -> Bool {
        url.host == issuer.host || IPAddress(url.host) != nil && IPAddress(url.host) == IPAddress(issuer.host)
    }

    /// The path by which a redirect URI in https is asked for here; nil for one that is elsewhere.
    func path(of redirectURI: RedirectURI) -> String? {
        guard let url = try? EndpointURL(configured: redirectURI.text), url.isSecure, url.port == issuer.port,
            isHere(url)
        else { return nil }
        return url.path.isEmpty ? "/" : url.path
    }

    /// Whether a redirect URI leads to a path, or to one below it, that the configuration gives to this service.
    ///
    /// - Parameter prefix: as the router has it, without escapes and without a slash at its end.
    public func isBelow(_ prefix: String, _ redirectURI: RedirectURI) -> Bool {
        guard let path = path(of: redirectURI) else { return false }
        let own = prefix.split(separator: "/").map(String.init)
        return segments(of: path).contains { $0.starts(with: own) }
    }

    /// Whether a path is this service's own, or becomes one on its way here.
    func isReserved(_ path: String) -> Bool {
        segments(of: path).contains { segments in
            // Browsers resolve dots before they ask, and proxies merge slashes.
            segments.contains { $0 == "." || $0 == ".." }
                || segments.first.map(Self.reserved.contains) == true
        }
    }

    /// The segments of a path as it may come here.
    private func segments(of path: String) -> [[String]] {
        // Where the issuer has a path, a proxy takes that away before it asks us.
        let base = BaseURL(issuer.path)
        let isBelow = path.hasPrefix(base.address("/"))
        let paths = isBelow ? [path[...], path.dropFirst(base.address("").count)] : [path[...]]
        return paths.map { Self.decoded($0).split(separator: "/").map(String.init) }
    }

    private static func decoded(_ path: Substring) -> String {
        let bytes = Array(path.utf8)
        var scratch: [UInt8] = []
        return PercentEncoding.decode(bytes.span, 0..<bytes.count, plusIsSpace: false, scratch: &scratch)
            ?? String(path)
    }
}

extension AppRegistry {
    /// The addresses on our own host that apps have claimed, by their paths.
    ///
    /// - Parameter issuer: the public base URL of this service.
    public func landings(at issuer: BaseURL) -> [Landing] {
        guard let host = OwnHost(issuer: issuer.text) else { return [] }
        var found: [String: (address: RedirectURI, apps: [RegisteredApp])] = [:]
        for app in all {
            for address in app.redirectURIs where address.isClaimedHTTPS {
                // The configuration has no other ones; a route of ours is never at stake.
                guard let path = host.path(of: address), !host.isReserved(path) else { continue }
                if found[path, default: (address, [])].apps.contains(app) { continue }
                found[path, default: (address, [])].apps.append(app)
            }
        }
        return found.sorted { $0.key < $1.key }.map { Landing(path: $0, address: $1.address, apps: $1.apps) }
    }
}

extension OwnHost {
    /// Where a browser finds an app again that it has left by a redirect URI, without any answer to it.
    ///
    /// - Parameter redirectURI: as it is registered.
    /// - Returns: the origin of a web address; a private scheme's address, and one on the host of this service, as they
    ///   are; nil for a program on the person's machine, which waits at no port any more.
    public func wayBack(to redirectURI: RedirectURI) -> String? {
        guard redirectURI.home != nil else { return nil }
        guard redirectURI.isClaimedHTTPS, path(of: redirectURI) == nil else { return redirectURI.text }
        let scheme = "https://"
        return scheme + redirectURI.text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" } + "/"
    }
}
