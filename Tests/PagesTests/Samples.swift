import Apps
import Pages

/// Every page once, with names that a test looks for.
struct Samples {
    var app = "Example Notes"
    var provider = "Example Telecom"
    var value = "value"
    var branding = Branding(name: "Example Ltd")

    static let redirectURI = "https://app.example/callback"

    static let problems: [Problem] = [
        .unknownApp, .redirectNotAllowed, .wrongParameter(name: "nonce", sentence: "This has 300 characters, of 255."),
        .expired, .over(app: "Example App"),
        .anotherBrowser, .busy, .providerUnreachable("Example Telecom"), .unknownConfirmation,
        .unexpected,
    ]

    func pages(_ language: PageLanguage) -> Pages { Pages(branding: branding, language: language) }

    /// An app that asks for everything there is.
    private var description: AppDescription {
        AppDescription(
            name: app, home: value, permissions: Permissions(Permission.allCases),
            duration: .untilSignOut(unusedDays: 30))
    }

    /// By what they are.
    func all(_ language: PageLanguage) -> [(name: String, page: Page)] {
        let pages = pages(language)
        let fields = [(name: value, value: value), (name: "state", value: "abc")]
        return [
            (
                "chooser",
                pages.chooser(
                    app: app,
                    providers: [
                        ProviderChoice(name: provider, address: "/sign-in/one?a=1&b=\(value)"),
                        ProviderChoice(name: "Other", address: "/b"),
                    ])
            ),
            (
                "confirmation",
                pages.confirmation(
                    app: app, provider: provider, action: "/confirm", token: value, returnsTo: Self.redirectURI)
            ),
            (
                "app confirmation",
                pages.appConfirmation(
                    app: description, providers: [ProviderChoice(name: provider, address: "/confirm")],
                    fields: [("token", value)])
            ),
            (
                "consent",
                pages.consent(
                    app: description, action: "/confirm", fields: [("token", value)], refusal: ("no", "1"),
                    canBeTakenBack: true, returnsTo: Self.redirectURI)
            ),
            ("resubmission", pages.resubmission(action: "/callback", fields: fields, script: "/resubmission.js")),
            ("landing", pages.landing(app: app, address: "/app/callback?code=\(value)")),
            ("landing of several", pages.landing(app: nil, address: "/app/callback")),
            (
                "sign-out",
                pages.signOutQuestion(app: app, action: "/sign-out", fields: fields, returnsTo: Self.redirectURI)
            ),
            (
                "sign-out of nobody",
                pages.signOutQuestion(app: nil, action: "/sign-out", fields: fields, returnsTo: nil)
            ),
            ("signed-out", pages.signedOut()), ("deletion", pages.deletion(day: value)),
            (
                "problem of a hostile request",
                pages.failure(
                    .wrongParameter(name: value, sentence: value), goOn: (app: value, address: "/\(value)"),
                    reference: value)
            ),
        ]
            + Self.problems.enumerated().map { number, problem in
                (
                    "problem \(number)",
                    pages.failure(problem, goOn: (app: "Notes", address: "/start"), reference: "3f2a91")
                )
            }
    }
}

extension Page {
    var text: String { String(decoding: html, as: UTF8.self) }

    /// The values of a directive of the policy; nil when it has none of that name.
    func directive(_ name: String) -> [String]? {
        for directive in contentSecurityPolicy.split(separator: "; ") {
            let words = directive.split(separator: " ").map(String.init)
            if words.first == name { return Array(words.dropFirst()) }
        }
        return nil
    }
}
