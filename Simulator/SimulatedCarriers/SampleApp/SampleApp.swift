internal import HTTPServer
internal import JSON

/// The sample app: a page for a person to click through, which speaks to Gatehouse as any app in a browser would.
///
/// It stands on the discovery port, so that it may also look into the simulation's own log without being let in by
/// anybody else's policy. The files are compiled in: the executable needs nothing beside it.
struct SampleApp: Sendable {
    /// Where the page is. The browser comes back to it from Gatehouse at `/app/callback`, with a code of Gatehouse's.
    static let path = "/app/"
    /// And from a provider with a code of the provider's, which Gatehouse redeems: from a carrier with an approved
    /// transaction, from the plain provider with an identity to link. By client ids.
    static let redirectPaths = [
        SimulatedClient.carrierClientID: "/app/approved", SimulatedClient.plainClientID: "/app/linked",
    ]

    let world: World
    /// The base URL of the Gatehouse that it signs in with, without a closing slash.
    let gatehouse: String

    var routes: [Route] {
        let pages = [Self.path, "/app/callback", "/app/approved", "/app/linked"].map { path in
            Route(.get, path) { _ in file(PackageResources.index_html, "text/html") }
        }
        let scripts = [
            ("app.js", PackageResources.app_js), ("lock.js", PackageResources.lock_js),
            ("oauth.js", PackageResources.oauth_js),
            ("wire.js", PackageResources.wire_js), ("views.js", PackageResources.views_js),
            ("words.js", PackageResources.words_js),
        ].map { name, bytes in
            Route(.get, Self.path + name) { _ in file(bytes, "text/javascript") }
        }
        let wire = WireLog(world: world)
        return pages + scripts + [
            Route(.get, "/app") { _ in .redirect(to: Self.path) },
            Route(.get, Self.path + "app.css") { _ in file(PackageResources.app_css, "text/css") },
            Route(.get, Self.path + "icon.svg") { _ in file(PackageResources.icon_svg, "image/svg+xml") },
            Route(.get, Self.path + "settings") { _ in .object(settings) },
            Route(.get, Self.path + "numbers") { _ in .object(numbers) },
            Route(.get, Self.path + "requests") { wire.newer($0) },
            Route(.get, Self.path + "mails") { mails(to: Fields(query: $0)?["to"]) },
        ]
    }

    /// Scripts and styles of its own and nobody else's; besides itself it talks to Gatehouse only.
    private func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
            "connect-src 'self' \(gatehouse)", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ]
        return HTTPResponse(
            status: .ok,
            headers: [
                ("Content-Type", type == "image/svg+xml" ? type : "\(type); charset=utf-8"),
                ("Content-Security-Policy", policy.joined(separator: "; ")), ("X-Content-Type-Options", "nosniff"),
                // An address of this page may have a code in it.
                ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
            ], body: bytes)
    }

    /// What an app is built with: who it is, where Gatehouse is, and what carriers call its backend.
    private var settings: JSONObject {
        let carriers = [SimulatedIssuer.aurora, .borealis, .plain].compactMap { world.provider($0) }.map { provider in
            var carrier = JSONObject([
                ("id", .string(provider.issuer.rawValue)), ("name", .string(provider.profile.displayName)),
                ("issuer", .string(world.url(provider.issuer))),
                ("authorization_endpoint", .string(world.url(provider.issuer) + "/authorize")),
                (
                    "client_id",
                    .string(
                        provider.issuer.isCarrier ? SimulatedClient.carrierClientID : SimulatedClient.plainClientID)
                ),
            ])
            carrier.append("mccmnc", ifPresent: provider.profile.mccmnc)
            return JSONValue.object(carrier)
        }
        var settings = JSONObject([
            ("gatehouse", .string(gatehouse)), ("client_id", "sample-app"),
            ("discovery", .string("/.well-known/openid_configuration")), ("providers", .array(carriers)),
        ])
        if let directory = world.provider(.beyond) {
            settings.append(
                "directory",
                .object(
                    JSONObject([
                        ("id", .string(directory.issuer.rawValue)), ("name", .string(directory.profile.displayName)),
                    ])))
        }
        return settings
    }

    /// The mailbox of somebody who has signed up, which only the simulation can look into.
    private func mails(to recipient: String?) -> HTTPResponse {
        let mails = world.provider(.beyond)?.directory?.mails.filter { $0.recipient == recipient } ?? []
        return .object(JSONObject([("links", .array(mails.map { .string($0.link) }))]))
    }

    /// Whose number is where, which only the simulation knows: carriers tell nobody.
    private var numbers: JSONObject {
        let numbers = Subscriber.wellKnown.map { subscriber in
            var number = JSONObject([
                ("phone_number", .string(subscriber.phoneNumber)), ("subscriber", .string(subscriber.name)),
            ])
            number.append("carrier", ifPresent: world.subscribers.lastPort(of: subscriber.name)?.to.rawValue)
            return JSONValue.object(number)
        }
        return JSONObject([("numbers", .array(numbers))])
    }
}
