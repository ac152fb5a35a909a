internal import HTTPServer
internal import JSON
internal import Settings
internal import SignIn
internal import Syntax
internal import System
internal import WebAPI

extension Wing {
    /// Whom to tell about a vulnerability (RFC 9116).
    package static let securityContact = Wing(SecurityContactSettings.self) { configured, settings, _ in
        // Below a path, the root of the host may be somebody else's.
        let issuer = settings.session.issuer.flatMap {
            ["", "/"].contains($0.path) ? BaseURL($0.text).address("") : nil
        }
        return OpenWing(api: .securityContact(configured, origin: issuer))
    }
}

extension APIExtension {
    static func securityContact(_ settings: SecurityContactSettings, origin: String?) -> APIExtension {
        APIExtension(
            isOn: { _ in !settings.contacts.isEmpty },
            operations: [
                .everybody(.get, SecurityContact.path, SecurityContact.description) {
                    SecurityContact(settings: settings, origin: origin, clock: $0.parts.clock).respond
                }
            ])
    }
}

/// `GET /.well-known/security.txt`: whom to tell about a vulnerability, as RFC 9116 has it.
struct SecurityContact: Sendable {
    static let path = "/.well-known/security.txt"
    private static let day: Int64 = 86_400

    static let description = OperationDescription(
        id: "securityContact", tag: .service, summary: "Tell whom to tell about a vulnerability",
        description: "RFC 9116, from `securityTxt`. Where that names no contact there is nothing here.",
        successes: [
            .init(
                description: "The file.", schema: ["type": "string"],
                example: "Contact: mailto:security@example.com\nExpires: 2027-01-31T00:00:00Z\n",
                type: "text/plain; charset=utf-8", headers: [.cacheControl])
        ]
    ).conditional

    let settings: SecurityContactSettings
    /// Of this service; nil where it is not at the root of a host.
    let origin: String?
    let clock: Clock

    func respond(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            headers: [
                (name: "Content-Type", value: "text/plain; charset=utf-8"),
                (name: "Cache-Control", value: "public, max-age=3600"),
            ], body: Array(text(now: clock.seconds).utf8)
        ).unlessKnown(to: request)
    }

    /// - Parameter now: seconds since 1970. The file is the same for the whole of a day.
    func text(now: Int64) -> String {
        let expires = (now / Self.day + 1 + Int64(settings.days)) * Self.day
        var lines = settings.contacts.map { "Contact: \($0)" }
        lines.append("Expires: \(CalendarTime.rfc3339(expires))")
        if let key = settings.encryption { lines.append("Encryption: \(key)") }
        if let page = settings.acknowledgments { lines.append("Acknowledgments: \(page)") }
        if !settings.languages.isEmpty {
            lines.append("Preferred-Languages: \(settings.languages.joined(separator: ", "))")
        }
        if let origin { lines.append("Canonical: \(origin)\(Self.path)") }
        if let page = settings.policy { lines.append("Policy: \(page)") }
        return lines.map { $0 + "\n" }.joined()
    }
}
