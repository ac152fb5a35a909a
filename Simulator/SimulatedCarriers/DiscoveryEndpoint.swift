internal import HTTPServer
internal import JSON

/// Discovery by mobile network, and the page that lets a subscriber choose one.
struct DiscoveryEndpoint {
    static let userInterfacePath = "/ui/discovery-ui"

    let world: World

    /// The carrier that a request asks about; nil when there is none for its network.
    func carrier(_ fields: Fields) -> Provider? {
        guard fields["prompt"] != "true" else { return nil }
        if let subject = fields["sub"] { return carrier(of: subject, fields["client_id"] ?? "") }
        guard let mccmnc = fields["mccmnc"] else { return nil }
        return SimulatedIssuer.providers.lazy.compactMap { world.provider($0) }
            .first { $0.profile.mccmnc == mccmnc }
    }

    /// The carrier that serves a subject now: subjects begin with the network of the one that has named them.
    private func carrier(of subject: String, _ clientID: String) -> Provider? {
        let carriers = SimulatedIssuer.providers.compactMap { world.provider($0) }.filter(\.issuer.isCarrier)
        guard let named = carriers.first(where: { subject.hasPrefix(($0.profile.mccmnc ?? "-") + "-") }) else {
            return nil
        }
        guard let subscriber = named.subscriber(with: subject, for: clientID) else { return named }
        return carriers.first { $0 === named && world.subscribers.serves(subscriber.name, $0.issuer) }
            ?? carriers.first { $0 !== named }
    }

    /// Errors stand inside a 200, as carriers' discovery has it.
    func respond(_ fields: Fields?, _ carrier: Provider?, _ misbehaviour: DocumentMisbehaviour?) -> HTTPResponse {
        guard let fields, world.client(fields["client_id"], at: .discovery) != nil else {
            return Self.error("invalid_request", "The client_id is missing or unknown.")
        }
        if misbehaviour == .errorInside200 { return Self.error("server_error", "The simulation was asked for this.") }
        guard let carrier, misbehaviour != .providerNotFound else {
            return .object(
                JSONObject([
                    ("error", "provider_not_found"),
                    ("redirect_uri", .string(world.url(.discovery) + Self.userInterfacePath)),
                ]))
        }
        return .document(Configuration(world: world, provider: carrier).document(misbehaviour))
    }

    /// The page. A request that already names a network, as the page's own links do, is sent back with it at once.
    func userInterface(_ fields: Fields?) -> HTTPResponse {
        guard let fields, let client = world.client(fields["client_id"], at: .discovery) else {
            return Page.error("The client is not registered here.")
        }
        guard fields.values("redirect_uri").count == 1, let redirectURI = fields["redirect_uri"],
            world.allows(redirectURI, for: client)
        else { return Page.error("The redirect URI is not registered for this client.") }
        guard let mccmnc = fields["mccmnc"] else { return choice(fields) }
        var parameters = [(name: "mccmnc", value: mccmnc)]
        if let state = fields["state"] { parameters.append(("state", state)) }
        if let subscriber = fields["login_hint"].flatMap(Subscriber.named) {
            parameters.append(("login_hint_token", LoginHintToken.make(for: subscriber)))
        }
        return .redirect(to: URLText.adding(parameters, to: redirectURI))
    }

    private func choice(_ fields: Fields) -> HTTPResponse {
        let links = SimulatedIssuer.providers.compactMap { world.provider($0)?.profile }.compactMap { profile in
            profile.mccmnc.map { mccmnc in
                let address = URLText.adding(fields.all + [("mccmnc", mccmnc)], to: Self.userInterfacePath)
                return "<a class=\"button\" href=\"\(Page.escape(address))\">\(Page.escape(profile.displayName))</a>"
            }
        }
        return Page.response(
            .ok, title: "Who is your carrier?",
            content:
                "<p>Choose who your phone number is with.</p><p class=\"actions\">\(links.joined(separator: "\n"))</p>")
    }

    static func error(_ code: String, _ description: String) -> HTTPResponse {
        .object(JSONObject([("error", .string(code)), ("error_description", .string(description))]))
    }
}
