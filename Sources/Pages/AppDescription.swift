public import Apps
internal import HTML

/// Who an app is, and what it would get: what a person has to know before they agree (OWASP ASVS 5.0 10.7.2).
public struct AppDescription: Sendable {
    /// How long an app keeps what it is given.
    public enum Duration: Sendable, Equatable {
        /// It has no refresh token.
        case minutes(Int64)
        /// However often it comes back.
        case days(Int64)
        /// As long as it comes back, and for so many days without that.
        case untilSignOut(unusedDays: Int64)
    }

    let name: String
    let home: String?
    let permissions: Permissions
    let duration: Duration

    /// - Parameters:
    ///   - name: what its operator calls it.
    ///   - home: the host, or the scheme, that its users go back to; nil for a program on their device.
    ///   - permissions: what it would be given.
    ///   - duration: for how long.
    public init(name: String, home: String?, permissions: Permissions, duration: Duration) {
        (self.name, self.home, self.permissions, self.duration) = (name, home, permissions, duration)
    }
}

extension HTMLWriter {
    /// What an app is and would get, in words.
    mutating func description(of app: AppDescription, _ texts: any Texts) {
        element("p", texts.app(app.name, at: app.home))
        if !app.permissions.isEmpty {
            element("p", texts.asks(app.name))
            permissions(app.permissions, texts)
        }
        element("p", attributes: ["class": "small"], texts.lasts(app.duration))
    }

    /// A sentence for each permission.
    mutating func permissions(_ permissions: Permissions, _ texts: any Texts) {
        element("ul", attributes: ["class": "what"]) { list in
            for permission in Permission.allCases where permissions.contains(permission) {
                list.element("li", texts.permission(permission))
            }
        }
    }
}
