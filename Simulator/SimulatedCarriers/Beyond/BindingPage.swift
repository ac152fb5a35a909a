internal import HTTPServer
internal import JSON

/// The page behind a link in a mail: confirming it puts a credential of the account on this device. And the mails that
/// the directory has sent, for the person who plays their reader.
struct BindingPage: Sendable {
    let book: DirectoryBook

    var routes: [Route] {
        [
            Route(.get, DirectoryEndpoints.bindingPath) { show(Fields(query: $0)) },
            Route(.post, DirectoryEndpoints.bindingPath) { bind(Fields(form: $0)) },
            Route(.get, "/control/mails") { mails(Fields(query: $0)) },
            Route(.get, "/control/directory") { _ in accounts },
            Route(.post, "/control/directory/expire-tokens") { _ in
                book.expireTokens()
                return .object(JSONObject())
            },
        ]
    }

    private func show(_ fields: Fields?) -> HTTPResponse {
        guard let token = fields?["token"], let account = book.account(bindingBy: token) else {
            return Page.error("The link is unknown, or was followed before.")
        }
        return Page.response(
            .ok, title: "Keep this credential?",
            content: """
                <p>Beyond Identity would now open, and this device would keep the key of
                <strong>\(Page.escape(account.displayName))</strong>.</p>
                <form method="post" action="\(DirectoryEndpoints.bindingPath)">
                <input type="hidden" name="token" value="\(Page.escape(token))">
                <p class="actions"><button>Keep it</button></p></form>
                """)
    }

    private func bind(_ fields: Fields?) -> HTTPResponse {
        guard let account = fields?["token"].flatMap({ book.bind(by: $0) }) else {
            return Page.error("The link is unknown, or was followed before.")
        }
        return Page.response(
            .ok, title: "This device has it",
            content: "<p>\(Page.escape(account.displayName)) can sign in now. You may close this page.</p>")
    }

    /// `?to=`: those to that address; the newest last.
    private func mails(_ fields: Fields?) -> HTTPResponse {
        let recipient = fields?["to"]
        let mails = book.mails.filter { recipient == nil || $0.recipient == recipient }
        let list = mails.map { mail -> JSONValue in
            .object(JSONObject([("to", .string(mail.recipient)), ("link", .string(mail.link))]))
        }
        return .object(JSONObject([("mails", .array(list))]))
    }

    private var accounts: HTTPResponse {
        let list = book.accounts.map { account -> JSONValue in
            var object = JSONObject([
                ("id", .string(account.id)), ("user_name", .string(account.username)),
                ("display_name", .string(account.displayName)), ("bound", account.isBound ? true : false),
            ])
            object.append("external_id", ifPresent: account.externalID)
            object.append("email", ifPresent: account.email)
            return .object(object)
        }
        return .object(JSONObject([("accounts", .array(list))]))
    }
}
