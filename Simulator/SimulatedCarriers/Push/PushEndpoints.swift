internal import HTTPServer
internal import JSON

/// Where clients have subscribers asked, or take that back; and the phone on which a person answers, as a page.
struct PushEndpoints: Sendable {
    static let authorizePath = "/server-initiated/authorize"
    static let cancelPath = "/server-initiated/cancel"
    static let phonePath = "/phone"

    let world: World
    let provider: Provider

    /// A request: the subscriber is asked from then on.
    func authorize(_ request: HTTPRequest, _ misbehaviours: [Misbehaviour]) -> (HTTPResponse, PushBook.Entry?) {
        let now = World.now
        do throws(OAuthError) {
            guard let fields = Fields(form: request) else { throw .invalidRequest("The body is no form.") }
            let pushed = try PushedRequest(fields, to: provider, world, now: now)
            if let error = misbehaviours.push?.error { throw error }
            let subscriber = try subscriber(pushed)
            provider.pushes.add(pushed, for: subscriber)
            var answer = JSONObject([
                ("correlation_id", .string(pushed.correlationID)), ("auth_req_id", .string(pushed.id)),
                // A text, as carriers have it.
                ("expires_in", .string(String(misbehaviours.push == .expiresSoon ? 60 : pushed.expiresIn))),
            ])
            if misbehaviours.push == .withoutID { answer.remove("auth_req_id") }
            return (.object(answer), PushBook.Entry(request: pushed, subscriber: subscriber))
        } catch {
            return (error.response, nil)
        }
    }

    private func subscriber(_ pushed: PushedRequest) throws(OAuthError) -> Subscriber {
        let hint = pushed.loginHint
        guard let subscriber = Subscriber.reached(at: hint) ?? provider.subscriber(with: hint, for: pushed.client.id)
        else { throw OAuthError("user_not_found", "Nobody here is reached by this login_hint.") }
        guard world.subscribers.serves(subscriber.name, provider.issuer) else {
            throw OAuthError("user_not_found", "The subscriber has changed carriers.")
        }
        return subscriber
    }

    /// A client that does not want an answer any more.
    func cancel(_ request: HTTPRequest) -> HTTPResponse {
        let now = World.now
        do throws(OAuthError) {
            guard let fields = Fields(form: request), let text = fields["request"] else {
                throw .invalidRequest("A form with a request is expected.")
            }
            let (client, claims) = try PushedRequest.verified(text, at: provider, world, now: now)
            let taken = provider.pushes.take(evenIfOver: false, now: now) { entry in
                entry.request.id == claims["auth_req_id"]?.string && entry.request.client.id == client.id
            }
            guard taken != nil else { throw .invalidRequest("There is no such request of this client.") }
            return .object(JSONObject())
        } catch {
            return error.response
        }
    }

    /// - Parameter asker: as a part of the page.
    private static func question(_ asker: String, _ context: String?) -> String {
        guard let context else { return "<p><strong>\(asker)</strong> asks you to sign in.</p>" }
        return "<p><strong>\(asker)</strong> asks you to approve:</p><p class=\"asked\">\(Page.escape(context))</p>"
    }

    /// What stands on the phones of this carrier's subscribers.
    func phone() -> HTTPResponse {
        let pending = provider.pushes.pending(now: World.now)
        let requests = pending.map { entry in
            let asker = Page.escape(entry.request.client.name ?? entry.request.client.id)
            return """
                <form method="post" action="\(Self.phonePath)"><fieldset>
                <legend>\(Page.escape(entry.subscriber.fullName)), \(entry.subscriber.phoneNumber)</legend>
                \(Self.question(asker, entry.request.context))
                <input type="hidden" name="request" value="\(entry.request.id)">
                <p class="actions"><button name="decision" value="approve">Approve</button>
                <button name="decision" value="deny" class="quiet">Deny</button></p></fieldset></form>
                """
        }
        return Page.response(
            .ok, title: "Phones with \(provider.profile.displayName)",
            content: (requests.isEmpty ? "<p>Nobody is asked for anything.</p>" : requests.joined(separator: "\n"))
                + "<p class=\"small\">A simulated carrier, for demonstrations: anyone with this page may answer.</p>")
    }
}
