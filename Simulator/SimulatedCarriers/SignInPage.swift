internal import HTTPServer

/// The page a person clicks through: who signs in, what the client may know, yes or no.
enum SignInPage {
    static let decisionField = "simulation_decision"
    static let approval = "approve"
    static let subscriberField = "simulation_subscriber"

    static func scopeField(_ scope: String) -> String { "simulation_scope_\(scope)" }

    /// - Parameters:
    ///   - path: where it is shown, below which decisions go.
    ///   - isServed: whether the issuer signs a subscriber in: nobody is offered whom it would turn away.
    static func response(
        _ request: AuthorizationRequest, _ fields: Fields, _ provider: Provider, _ path: String,
        isServed: (Subscriber) -> Bool
    ) -> HTTPResponse {
        let hidden = fields.all.map { field in
            "<input type=\"hidden\" name=\"\(Page.escape(field.name))\" value=\"\(Page.escape(field.value))\">"
        }
        let asker = "<strong>\(Page.escape(request.client.name ?? request.client.id))</strong>"
        let question =
            request.context.map { "<p>\(asker) asks you to approve:</p><p class=\"asked\">\(Page.escape($0))</p>" }
            ?? "<p>\(asker) asks you to sign in.</p>"
        return Page.response(
            .ok, title: "Sign in with \(provider.profile.displayName)",
            content: """
                \(question)
                <form method="post" action="\(Page.escape(path))/decision">
                \(hidden.joined(separator: "\n"))
                <fieldset><legend>Who are you?</legend>
                \(choices(request.subscriber, provider.offered, isServed))
                </fieldset>
                <fieldset><legend>What may it know of you?</legend>
                \(scopes(request.scopes))
                </fieldset>
                <p class="actions"><button name="\(decisionField)" value="\(approval)">Approve</button>
                <button name="\(decisionField)" value="deny" class="quiet">Deny</button></p>
                </form>
                <p class="small">A simulated provider, for demonstrations: it believes whatever you say.\
                \(request.level.hasSuffix("3") ? " A real one would now ask for your PIN or fingerprint." : "")</p>
                """)
    }

    /// An answer that the browser posts, once its user goes on (OAuth 2.0 Form Post Response Mode §2; the script is
    /// left out).
    static func answer(_ parameters: [(name: String, value: String)], to address: String) -> HTTPResponse {
        let fields = parameters.map { field in
            "<input type=\"hidden\" name=\"\(Page.escape(field.name))\" value=\"\(Page.escape(field.value))\">"
        }
        return Page.response(
            .ok, title: "Go on",
            content: """
                <form method="post" action="\(Page.escape(address))">
                \(fields.joined(separator: "\n"))
                <p class="actions"><button>Go on</button></p></form>
                """)
    }

    /// The one that the request names, or the well-known ones that have not left.
    private static func choices(
        _ named: Subscriber?, _ offered: [Subscriber], _ isServed: (Subscriber) -> Bool
    ) -> String {
        let subscribers = named.map { [$0] } ?? offered.filter(isServed)
        return subscribers.enumerated().map { index, subscriber in
            """
            <label><input type="radio" name="\(subscriberField)" value="\(Page.escape(subscriber.name))"\
            \(index == 0 ? " checked" : "")> \(Page.escape(subscriber.fullName)), \(Page.escape(subscriber.phoneNumber))</label>
            """
        }.joined(separator: "\n")
    }

    private static let words = [
        "name": "Your name", "profile": "Your name and date of birth", "email": "Your e-mail address",
        "phone": "Your phone number", "postal_code": "Your postal code", "birthdate": "Your date of birth",
        "address": "Your address", "offline_access": "All that also while you are away",
    ]

    private static func scopes(_ scopes: Set<String>) -> String {
        let optional = scopes.subtracting(["openid"]).sorted()
        guard !optional.isEmpty else { return "<p>Only that it is you.</p>" }
        return optional.map { scope in
            let name = Page.escape(scopeField(scope))
            return
                "<label><input type=\"checkbox\" name=\"\(name)\" value=\"yes\" checked> \(Page.escape(words[scope] ?? scope))</label>"
        }.joined(separator: "\n")
    }
}
