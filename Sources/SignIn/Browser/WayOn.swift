internal import Apps
internal import Crypto
internal import Syntax
internal import System

/// The way on for somebody who comes back to a sign-in that is over: to the app, which may begin another one.
public struct WayOn: Equatable, Sendable {
    /// The app's name; nil for a page of this service.
    public let app: String?
    /// Where it is found again, without anything of the sign-in; nil where no link would lead there.
    public let address: String?
}

extension BrowserSignIn {
    /// Finds the app of a sign-in that is over, in the browser that it was in and in no other.
    ///
    /// Of what comes in nothing is shown or followed: what the cookie has is compared with the addresses of the
    /// configuration, and one of these is the answer (RFC 9700 §4.11).
    ///
    /// - Parameters:
    ///   - parameters: what has come back: a `state`, or the `token` of a page of ours.
    ///   - browser: what the browser shows.
    /// - Returns: nil where it shows nothing of that sign-in, or the app is not configured any more.
    public func wayOn(_ parameters: AuthorizationParameters, browser: BrowserKeys) -> WayOn? {
        guard let text = parameters[.state] ?? parameters[.token], let mark = PendingHandle(text)?.mark,
            let shown = browser.app(of: mark), let host = OwnHost(issuer: issuer.text)
        else { return nil }
        for app in apps.all {
            guard let uri = app.redirectURIs.first(where: { AppAddress.mark(of: app, at: $0) == shown }) else {
                continue
            }
            return WayOn(app: host.isReserved(uri) ? nil : app.displayName, address: host.wayBack(to: uri))
        }
        return nil
    }

    /// Draws the key of a sign-in that begins.
    ///
    /// - Parameters:
    ///   - keys: what the browser shows, which gets it.
    ///   - address: of the app.
    public func beginKey(in keys: inout BrowserKeys, for address: AppAddress) -> BrowserKey {
        keys.begin(for: address, at: clock.seconds)
    }

    /// Takes the key of a sign-in away that is finished.
    public func finish(_ key: BrowserKey, in keys: inout BrowserKeys) { keys.finish(key, at: clock.seconds) }
}

extension AppAddress {
    private static let markBytes = 12

    /// What cookies have of an app's address; nil where it is not the app's any more.
    var mark: String? {
        app.redirectURIs.first { $0.matches(redirectURI) }.map { Self.mark(of: app, at: $0) }
    }

    /// - Parameter registered: one of the app's.
    static func mark(of app: RegisteredApp, at registered: RedirectURI) -> String {
        let digest = Digest.sha256.hash("\(app.clientID) \(registered.text)".utf8.span)
        return Base64URL.encode(digest.span.extracting(first: markBytes))
    }

    static var markCharacters: Int { Base64URL.encodedCount(of: markBytes) }
}
