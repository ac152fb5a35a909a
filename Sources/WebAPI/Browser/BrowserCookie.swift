internal import HTTPServer
internal import SignIn
internal import Syntax

/// The cookie that a browser is known again by while its user is at a provider.
///
/// Under https it is `__Host-`: no other host, no subdomain and no plain http can set it (RFC 6265bis §4.1.3.2). Plain
/// http, which is for development on one machine, knows no such prefix. `Lax`: it comes with the browser's way back,
/// which is a GET from elsewhere, and not with a POST from elsewhere.
struct BrowserCookie: Sendable {
    /// What a browser shows.
    enum Shown: Sendable {
        case nothing
        case keys(BrowserKeys)
        /// Something under this name that is none of ours, or two of them.
        case unusable
    }

    let name: String
    private let attributes: String

    /// - Parameter issuer: the public base URL of this service.
    init(issuer: BaseURL) {
        let isSecure = issuer.text.hasPrefix("https://")
        name = isSecure ? "__Host-gatehouse" : "gatehouse"
        attributes =
            "; Path=/; Max-Age=\(BrowserSignIn.lifetimeSeconds); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    func shown(by request: HTTPRequest) -> Shown {
        var found: [Substring] = []
        for field in request.headers("cookie") {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                if pair.hasPrefix(name + "=") { found.append(pair.dropFirst(name.count + 1)) }
            }
        }
        guard let value = found.first else { return .nothing }
        guard found.count == 1, let keys = BrowserKeys(String(value)) else { return .unusable }
        return .keys(keys)
    }

    /// The field that gives it out, anew for another while.
    func field(_ keys: BrowserKeys) -> (name: String, value: String) {
        (name: "Set-Cookie", value: "\(name)=\(keys.text)\(attributes)")
    }
}
