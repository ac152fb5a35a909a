package import HTTPServer
package import SignIn
internal import Syntax

/// The cookies that a browser keeps for us: what it is known again by while its user is at a provider, one for each
/// sign-in, and which apps its user has confirmed.
///
/// Under https it is `__Host-`: no other host, no subdomain and no plain http can set it (RFC 6265bis §4.1.3.2). Plain
/// http, which is for development on one machine, knows no such prefix. `Lax`: it comes with the browser's way back,
/// which is a GET from elsewhere, and not with a POST from elsewhere.
package struct BrowserCookie: Sendable {
    private static let markSeparator: Character = "."

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

    /// What a browser shows of its sign-ins.
    package func keys(in request: HTTPRequest) -> BrowserKeys {
        var cookies: [(mark: String, value: String)] = []
        var earlier: [String] = []
        for (suffix, value) in Self.cookies(beginningWith: name, in: request) {
            if suffix.isEmpty { earlier.append(value) }
            if suffix.first == Self.markSeparator { cookies.append((String(suffix.dropFirst()), value)) }
        }
        return BrowserKeys(cookies, earlier: earlier)
    }

    /// The apps that were confirmed in this browser; none where that is not sure.
    func confirmedApps(in request: HTTPRequest) -> ConfirmedApps {
        let found = Self.values(of: appsName, in: request)
        guard confirmationSeconds > 0, found.count == 1 else { return ConfirmedApps() }
        return ConfirmedApps(found[0]) ?? ConfirmedApps()
    }

    private static func values(of name: String, in request: HTTPRequest) -> [String] {
        cookies(beginningWith: name, in: request).compactMap { $0.suffix.isEmpty ? $0.value : nil }
    }

    /// - Returns: what stands behind that in their names, and their values.
    private static func cookies(
        beginningWith name: String, in request: HTTPRequest
    ) -> [(suffix: Substring, value: String)] {
        request.headers("cookie").flatMap { field in
            field.split(separator: ";").compactMap { pair in
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix(name), let end = pair.firstIndex(of: "=") else { return nil }
                return (pair[..<end].dropFirst(name.count), String(pair[end...].dropFirst()))
            }
        }
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

    /// The fields that give out what has changed, and take away what is not good any more.
    package func fields(_ keys: BrowserKeys) -> [(name: String, value: String)] {
        keys.changes.map { change in
            let suffix = change.mark.map { "\(Self.markSeparator)\($0.text)" } ?? ""
            return field(name + suffix, value: change.value ?? "", seconds: change.seconds)
        }
    }

    /// - Returns: nil where each sign-in is asked about.
    func field(_ apps: ConfirmedApps) -> (name: String, value: String)? {
        confirmationSeconds > 0 ? field(appsName, value: apps.text, seconds: confirmationSeconds) : nil
    }

    private func field(_ name: String, value: String, seconds: Int64) -> (name: String, value: String) {
        (name: "Set-Cookie", value: "\(name)=\(value); Max-Age=\(seconds)\(attributes)")
    }
}
