import Crypto
import Pages
import Syntax
import Testing

@Suite struct `Every page` {
    @Test(arguments: PageLanguage.allCases)
    func `says its language, has a title, one heading, one main part, and is for no search engine`(
        _ language: PageLanguage
    ) throws {
        for (name, page) in Samples().all(language) {
            let markup = try Markup(page.text)
            #expect(page.language == language)
            #expect(markup.all("html").map(\.attributes) == [["lang": language.rawValue]], "\(name)")
            #expect(markup.all("title").count == 1 && markup.all("h1").count == 1 && markup.all("main").count == 1)
            #expect(markup.texts.first?.hasSuffix(" · Example Ltd") == true, "\(name)")
            let meta = markup.all("meta").map(\.attributes)
            #expect(meta.contains(["charset": "utf-8"]))
            #expect(meta.contains(["name": "viewport", "content": "width=device-width,initial-scale=1"]))
            #expect(meta.contains(["name": "robots", "content": "noindex"]))
            #expect(meta.contains(["name": "referrer", "content": "no-referrer"]))
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `has a script only where a form is posted again, and then one of our own origin`(_ language: PageLanguage)
        throws
    {
        for (name, page) in Samples().all(language) {
            let markup = try Markup(page.text)
            let isResubmission = name == "resubmission"
            #expect(markup.all("script").map(\.attributes) == (isResubmission ? [["src": "/resubmission.js"]] : []))
            #expect(page.directive("script-src") == (isResubmission ? ["'self'"] : nil), "\(name)")
            #expect(!markup.elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") } }, "\(name)")
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `refers to no other origin, and is styled by its style sheet alone`(_ language: PageLanguage) throws {
        let branding = Branding(name: "Example Ltd", logo: "data:image/png;base64,AAAA")
        for (name, page) in Samples(branding: branding).all(language) {
            let markup = try Markup(page.text)
            #expect(!page.text.contains("http:") && !page.text.contains("https:"), "\(name)")
            for element in markup.elements {
                for attribute in ["href", "src", "action"] {
                    let address = element.attributes[attribute] ?? "/"
                    #expect(
                        address.hasPrefix("/") && !address.hasPrefix("//") || address == branding.logoText, "\(name)")
                }
                #expect(element.attributes["style"] == nil && element.name != "link", "\(name)")
            }
            #expect(!markup.style.contains("url(") && !markup.style.contains("@import"))
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `has a policy with the hash of its style sheet, and room for nothing else`(_ language: PageLanguage) throws {
        for (name, page) in Samples().all(language) {
            let markup = try Markup(page.text)
            let hash = Base64.encode(Digest.sha256.hash(Array(markup.style.utf8)))
            #expect(markup.all("style").count == 1)
            #expect(page.directive("style-src") == ["'sha256-\(hash)'"], "\(name)")
            for closed in ["default-src", "base-uri", "frame-ancestors"] {
                #expect(page.directive(closed) == ["'none'"], "\(name)")
            }
            #expect(page.directive("img-src") == nil)
        }
    }

    @Test func `shows the operator's logo where there is one, which the policy allows as data alone`() throws {
        let branding = Branding(name: "Example Ltd", logo: "data:image/png;base64,AAAA")
        let page = Pages(branding: branding, language: .english).signedOut()
        #expect(
            try Markup(page.text).all("img").map(\.attributes) == [["src": "data:image/png;base64,AAAA", "alt": ""]])
        #expect(page.directive("img-src") == ["data:"])
        #expect(try Markup(Samples().pages(.english).signedOut().text).all("img").isEmpty)
    }

    @Test(arguments: PageLanguage.allCases, ["<script>alert(1)</script>", "\" onclick=\"alert(1)", "' & </title><p>"])
    func `lets no name and no value become markup`(_ language: PageLanguage, _ evil: String) throws {
        let samples = Samples(app: evil, provider: evil, value: evil, branding: Branding(name: evil, logo: evil))
        let expected = Samples(branding: Branding(name: "Example Ltd", logo: "data:")).all(language)
        for (hostile, plain) in zip(samples.all(language), expected) {
            let (markup, harmless) = (try Markup(hostile.page.text), try Markup(plain.page.text))
            #expect(markup.elements.map(\.name) == harmless.elements.map(\.name), "\(plain.name)")
            #expect(markup.elements.map(\.attributes.keys) == harmless.elements.map(\.attributes.keys), "\(plain.name)")
            #expect(!hostile.page.text.contains(evil))
            #expect(hostile.page.contentSecurityPolicy == plain.page.contentSecurityPolicy)
        }
    }
}

extension Branding {
    fileprivate var logoText: String { "data:image/png;base64,AAAA" }
}
