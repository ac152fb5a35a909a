import Pages
import Testing

@Suite struct `Where a page's forms may lead` {
    private let pages = Samples().pages(.english)

    private func confirmation(_ address: String?) -> [String]? {
        pages.confirmation(app: "Notes", provider: "Telecom", action: "/confirm", token: "1", returnsTo: address)
            .directive("form-action")
    }

    @Test func `is nowhere from a page that has none`() {
        let formless = [
            pages.chooser(app: "Notes", providers: []), pages.signedOut(),
            pages.failure(.busy, goOn: (app: "Notes", address: "/start")),
        ]
        for page in formless { #expect(page.directive("form-action") == ["'none'"]) }
    }

    @Test func `is to us alone when we answer with a page`() {
        let page = pages.signOutQuestion(app: nil, action: "/out", fields: [], returnsTo: nil)
        #expect(page.directive("form-action") == ["'self'"])
        #expect(confirmation(nil) == ["'self'"])
    }

    @Test func `is left open when a form is posted again, whose answer may lead to any app`() {
        let page = pages.resubmission(action: "/callback", fields: [], script: "/script.js")
        #expect(page.directive("form-action") == nil)
        #expect(!page.contentSecurityPolicy.contains("form-action"))
    }

    @Test(arguments: [
        ("https://app.example/callback", ["https:"]), ("HTTPS://App.example:8443/a;b?c=d", ["https:"]),
        ("https://[2001:db8::1]/callback", ["https:"]),
        ("http://127.0.0.1:51004/callback", ["http://127.0.0.1:51004", "https:"]),
        ("http://LOCALHOST/callback", ["http://localhost:80", "https:"]),
        ("com.example.app:/callback", ["com.example.app:"]), ("Com.Example.App://callback", ["com.example.app:"]),
        ("ccid-0123://com.xci.provider.sdk", ["ccid-0123:"]), ("a+b:c;d", ["a+b:"]),
    ]) func `is on to the app when we answer with a redirect there, and where a web server may send it from there`(
        _ address: String, expected: [String]
    ) {
        #expect(confirmation(address) == ["'self'"] + expected)
        let page = pages.signOutQuestion(app: nil, action: "/out", fields: [], returnsTo: address)
        #expect(page.directive("form-action") == ["'self'"] + expected)
    }

    @Test(arguments: [
        "", "app", "/callback", "//app.example/callback", ":", "1app:/callback", "-app:/callback",
        "https:", "https:/callback", "https://", "https:///callback", "https://app.example:x/",
        "https://user@app.example/",
        "https://app.example/callback; script-src *", "https://app.example/\r\nX-Header: 1", "https://app.example/å",
        "http://[::1]:51004/callback", "http://my_host/callback", "http://127.0.0.1;script-src/", "http://a,b/",
        "com.example;app:/callback", "com.example app:/callback", "com.example,app:/callback", "com.example.app:/a b",
        "com.example.åpp:/callback", "'unsafe-inline':", "*:", "com.example.app:/\u{0}",
    ]) func `is left open for an address that the policy has no words for, none of which come into it`(
        _ address: String
    ) {
        let page = pages.confirmation(
            app: "Notes", provider: "Telecom", action: "/confirm", token: "1", returnsTo: address)
        #expect(page.directive("form-action") == nil)
        #expect(page.contentSecurityPolicy.hasSuffix("; base-uri 'none'; frame-ancestors 'none'"))
    }
}
