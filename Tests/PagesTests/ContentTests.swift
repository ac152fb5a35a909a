import Pages
import Testing

@Suite struct `What a page offers` {
    private let pages = Samples().pages(.english)

    @Test func `is a link to each provider, in the order given`() throws {
        let page = pages.chooser(
            app: "Notes",
            providers: [
                ProviderChoice(name: "First", address: "/one?a=1&b=2"), ProviderChoice(name: "Second", address: "/two"),
            ])
        let markup = try Markup(page.text)
        #expect(markup.all("a").map { $0.attributes["href"] } == ["/one?a=1&amp;b=2", "/two"])
        #expect(markup.texts.suffix(2) == ["Continue with First", "Continue with Second"])
        #expect(markup.all("form").isEmpty && markup.all("button").isEmpty)
    }

    @Test func `is to confirm one's own sign-in by one button that posts the token, after a warning`() throws {
        let page = pages.confirmation(
            app: "Notes", provider: "Telecom", action: "/confirm", token: "secret", returnsTo: Samples.redirectURI)
        let markup = try Markup(page.text)
        #expect(markup.all("form").map(\.attributes) == [["method": "post", "action": "/confirm"]])
        #expect(
            markup.all("input").map(\.attributes) == [["type": "hidden", "name": "token", "value": "secret"]])
        #expect(
            markup.texts.dropFirst(2) == [
                "Did you just start signing in to Notes?",
                "This sign-in with Telecom was started in another browser or app, and is about to be finished here.",
                "Never go on if somebody sent you the link or asked you to do this. They would get into your account.",
                "Yes, sign me in", "If it wasn’t you, simply close this page. Nothing will happen.",
            ])
        #expect(markup.all("button").count == 1 && markup.all("a").isEmpty)
    }

    @Test func `is to post the same fields again in their order, which the script does at once`() throws {
        let page = pages.resubmission(
            action: "/callback", fields: [("code", "1"), ("state", "2"), ("code", "3")], script: "/script.js")
        let markup = try Markup(page.text)
        #expect(markup.all("input").map { $0.attributes["name"] } == ["code", "state", "code"])
        #expect(markup.all("input").map { $0.attributes["value"] } == ["1", "2", "3"])
        #expect(markup.texts.contains("Continue") && markup.all("button").count == 1)
        // The script runs where it stands, so what it submits must stand before it.
        let names = markup.elements.map(\.name)
        #expect(names.filter { $0 == "form" }.count == 1 && names.last == "script")
        #expect(String(decoding: Pages.resubmissionScript, as: UTF8.self).contains("querySelector(\"form\")"))
    }

    @Test func `is to open the app by one link, by its name where that is known`() throws {
        let markup = try Markup(pages.landing(app: "Notes", address: "com.example.notes:/cb?a=1&b=2").text)
        #expect(
            markup.all("a").map(\.attributes) == [["class": "choice", "href": "com.example.notes:/cb?a=1&amp;b=2"]])
        #expect(
            markup.texts.dropFirst(2) == [
                "Back to Notes", "Your browser didn’t open the app by itself. Press the button to go on there.",
                "Open Notes",
                "If nothing happens, open the app yourself and start over.",
            ])
        #expect(markup.all("form").isEmpty && markup.all("button").isEmpty)
        let nameless = try Markup(pages.landing(app: nil, address: "/cb").text)
        #expect(nameless.texts.contains("Back to the app") && nameless.texts.contains("Open the app"))
    }

    @Test func `is to sign out by one button, of the app where one asks for it`() throws {
        let named = pages.signOutQuestion(app: "Notes", action: "/out", fields: [("a", "b")], returnsTo: nil)
        let markup = try Markup(named.text)
        #expect(markup.texts.contains("Do you want to sign out of Notes?") && markup.texts.contains("Sign out"))
        #expect(markup.all("form").map(\.attributes) == [["method": "post", "action": "/out"]])
        #expect(markup.all("input").map(\.attributes) == [["type": "hidden", "name": "a", "value": "b"]])
        let nameless = pages.signOutQuestion(app: nil, action: "/out", fields: [], returnsTo: nil)
        #expect(try Markup(nameless.text).texts.contains("Do you want to sign out?"))
    }

    @Test func `goes back to the app after a problem, where there is one to go back to`() throws {
        let known = try Markup(pages.failure(.anotherBrowser, goOn: (app: "Notes", address: "/start")).text)
        #expect(known.all("a").map { $0.attributes["href"] } == ["/start"] && known.texts.last == "Back to Notes")
        #expect(try Markup(pages.failure(.anotherBrowser).text).all("a").isEmpty)
    }

    @Test func `is a reference for the operator, and an English sentence for developers where the app is at fault`()
        throws
    {
        let problem = Problem.wrongParameter(name: "nonce", sentence: "This has 300 characters, of 255.")
        let markup = try Markup(Samples().pages(.danish).failure(problem, reference: "3f2a91").text)
        #expect(
            markup.texts.suffix(4) == [
                "Til udviklere: ", "nonce: This has 300 characters, of 255.", "Referencenummer: ", "3f2a91",
            ])
        #expect(markup.all("bdi").map(\.attributes) == [["lang": "en"], [:]])
        let bare = try Markup(pages.failure(.busy).text)
        #expect(bare.texts.last == "Wait a minute, then try again.")
    }
}
