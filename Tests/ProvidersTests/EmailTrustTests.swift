import Testing

@testable import Providers

@Suite struct `A provider's word about an e-mail address` {
    @Test func `counts for all, or for none`() {
        #expect(EmailTrust(.all).covers("jane@anything.example", hostedDomain: nil))
        #expect(EmailTrust(.all).covers("no address", hostedDomain: nil))
        #expect(!EmailTrust(.none, domains: ["example.com"]).covers("jane@example.com", hostedDomain: "example.com"))
    }

    @Test(arguments: ["jane@example.com", "JANE@EXAMPLE.COM", "jane+x@Example.com", "jane@mail.example"])
    func `counts in a domain that it keeps, in whatever letters`(email: String) {
        let trust = EmailTrust(.owned, domains: ["example.com", "mail.example"])
        #expect(trust.covers(email, hostedDomain: nil))
    }

    @Test(arguments: [
        "jane@evil.example", "jane@sub.example.com", "jane@notexample.com", "jane@example.com.evil.example",
        "jane@example.com.", "jane@evil.example@example.com", "\"jane@evil.example\"@example.com", "example.com",
        "@example.com", "jane@", "", "jane@evil.example,x@example.com", "<jane@evil.example> x@example.com",
        "jane@evil.example x@example.com", "jane@example.com\u{0}", "jane@\u{212A}pn.example",
        "jane@exam\u{200B}ple.com",
    ])
    func `does not count elsewhere, nor for what only looks like it`(email: String) {
        let trust = EmailTrust(.owned, domains: ["example.com", "kpn.example"])
        #expect(!trust.covers(email, hostedDomain: nil))
    }

    @Test func `counts in the domain that it names beside the address, where it is Google`() {
        let google = EmailTrust(.owned, domains: ["gmail.com", "googlemail.com"], takesHostedDomain: true)
        #expect(google.covers("jane@gmail.com", hostedDomain: nil))
        #expect(google.covers("jane@acme.example", hostedDomain: "Acme.example"))
        #expect(!google.covers("jane@acme.example", hostedDomain: nil))
        #expect(!google.covers("jane@acme.example", hostedDomain: "other.example"))
        #expect(!google.covers("jane@sub.acme.example", hostedDomain: "acme.example"))
        let other = EmailTrust(.owned, domains: [])
        #expect(!other.covers("jane@acme.example", hostedDomain: "acme.example"))
    }
}
