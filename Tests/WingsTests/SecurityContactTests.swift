import SignIn
import System
import TestSupport
import Testing

@testable import Wings

@Suite struct `Whom to tell about a vulnerability` {
    private func contact(
        origin: String? = "https://signin.example", _ change: (inout SecurityContactSettings) -> Void = { _ in }
    ) -> SecurityContact {
        var settings = SecurityContactSettings()
        settings.contacts = ["mailto:security@example.com", "https://example.com/security"]
        change(&settings)
        return SecurityContact(settings: settings, origin: origin, clock: Clock { 0 })
    }

    @Test func `is told in the order of preference, and expires`() {
        // 2026-09-21T13:33:20Z.
        #expect(
            contact().text(now: 1_790_000_000) == """
                Contact: mailto:security@example.com
                Contact: https://example.com/security
                Expires: 2026-10-22T00:00:00Z
                Canonical: https://signin.example/.well-known/security.txt

                """)
    }

    @Test func `is told with everything else that is configured`() {
        let full = contact(origin: nil) {
            $0.contacts = ["tel:+49-30-123456"]
            $0.policy = "https://example.com/policy"
            $0.encryption = "dns:5d2d3762._openpgpkey.example.com?type=OPENPGPKEY"
            $0.acknowledgments = "https://example.com/thanks"
            $0.languages = ["en", "pt-BR"]
            $0.days = 365
        }
        #expect(
            full.text(now: 0) == """
                Contact: tel:+49-30-123456
                Expires: 1971-01-02T00:00:00Z
                Encryption: dns:5d2d3762._openpgpkey.example.com?type=OPENPGPKEY
                Acknowledgments: https://example.com/thanks
                Preferred-Languages: en, pt-BR
                Policy: https://example.com/policy

                """)
    }

    @Test func `is the same for the whole of a day`() {
        let texts = Set([0, 1, 86_399].map { contact().text(now: 1_789_948_800 + $0) })
        #expect(texts.count == 1)
        #expect(contact().text(now: 1_789_948_800 - 1) != texts.first)
    }
}
