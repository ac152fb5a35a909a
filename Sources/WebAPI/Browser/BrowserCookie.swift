package import HTTPServer
package import SignIn
internal import Syntax

/// The cookies that a browser keeps for us: what it is known again by while its user is at a provider, and which apps
/// its user has confirmed.
///
/// Under https it is `__Host-`: no other host, no subdomain and no plain http can set it (RFC 6265bis §4.1.3.2). Plain
/// http, which is for development on one machine, knows no such prefix. `Lax`: it comes with the browser's way back,
/// which is a GET from elsewhere, and not with a POST from elsewhere.
package struct BrowserCookie: Sendable {
    /// What a browser shows.
    enum Shown: Sendable {
        case nothing
        case keys(BrowserKeys)
        /// Something under this name that is none of ours, or two of them.
        case unusable
    }

    let name: String
    private let appsName: String
    private let attributes: String
    private let confirmationSeconds: Int64

    /// - Parameters:
    ///   - issuer: the public base URL of this service.
    ///   - confirmationSeconds: how long an app stays confirmed; 0 when each sign-in is asked about.
    init(issuer: BaseURL, confirmationSeconds: Int64) {
        let isSecure = issuer.text.hasPrefix("https://")
        name = isSecure ? "__Host-gatehouse" : "gatehouse"
        appsName = name + "-apps"
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        self.confirmationSeconds = confirmationSeconds
    }

    func shown(by request: HTTPRequest) -> Shown {
        let found = Self.values(of: name, in: request)
        guard let value = found.first else { return .nothing }
        guard found.count == 1, let keys = BrowserKeys(value) else { return .unusable }
        return .keys(keys)
    }

    /// The apps that were confirmed in this browser; none where that is not sure.
    func confirmedApps(in request: HTTPRequest) -> ConfirmedApps {
        let found = Self.values(of: appsName, in: request)
        guard confirmationSeconds > 0, found.count == 1 else { return ConfirmedApps() }
        return ConfirmedApps(found[0]) ?? ConfirmedApps()
    }

    private static func values(of name: String, in request: HTTPRequest) -> [String] {
        request.headers("cookie").flatMap { field in
            field.split(separator: ";").compactMap { pair in
                let pair = pair.drop { $0 == " " }
                return pair.hasPrefix(name + "=") ? String(pair.dropFirst(name.count + 1)) : nil
            }
        }
    }

    /// The keys of the sign-ins that a browser has under way; none where that is not sure.
    package func keys(in request: HTTPRequest) -> BrowserKeys {
        if case .keys(let keys) = shown(by: request) { keys } else { BrowserKeys() }
    }

    /// What a page of ours has given out under a name of its own; nil where that is not sure.
    ///
    /// - Parameter suffix: of the name.
    package func value(_ suffix: String, in request: HTTPRequest) -> String? {
        let found = Self.values(of: name + suffix, in: request)
        return found.count == 1 ? found[0] : nil
    }

    /// The field that gives it out.
    package func field(_ suffix: String, _ value: String, seconds: Int64) -> (name: String, value: String) {
        field(name + suffix, value: value, seconds: seconds)
    }

    /// The field that gives it out, anew for another while.
    package func field(_ keys: BrowserKeys) -> (name: String, value: String) {
        field(name, value: keys.text, seconds: BrowserSignIn.lifetimeSeconds)
    }

    /// - Returns: nil where each sign-in is asked about.
    func field(_ apps: ConfirmedApps) -> (name: String, value: String)? {
        confirmationSeconds > 0 ? field(appsName, value: apps.text, seconds: confirmationSeconds) : nil
    }

    private func field(_ name: String, value: String, seconds: Int64) -> (name: String, value: String) {
        (name: "Set-Cookie", value: "\(name)=\(value); Max-Age=\(seconds)\(attributes)")
    }
}
