import Accounts
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The value of an attribute` {
    private func isTaken(_ text: String, _ name: String) -> Bool { AttributeRule.fault(of: text, named: name) == nil }

    @Test(arguments: ["picture", "profile", "website"]) func `that is an address is http or https`(name: String) {
        for text in [
            "https://img.example/jane.png", "http://img.example/a?b=c", "HTTPS://img.example",
            "https://me.example/#about",
        ] {
            #expect(isTaken(text, name))
        }
        for text in [
            "javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//img.example/x", "/x", "x",
            "ftp://img.example/x",
            "https://img.example@evil.example/", "https://", "https://img.example/a b", "https://a.example/#\"><b",
            "file:///etc/passwd", "https://img.example\\@evil.example",
        ] {
            #expect(!isTaken(text, name), "\(text)")
        }
    }

    @Test func `locale is a language tag`() {
        for text in ["en", "en-GB", "en_US", "zh-Hant-TW", "sr-Latn-RS", "de-CH-1996", "x-klingon", "i-navajo"] {
            #expect(isTaken(text, "locale"), "\(text)")
        }
        for text in ["../../etc", "en/GB", "en--GB", "en-", "-en", "1en", "en GB", "abcdefghi", "en;q=1", "é"] {
            #expect(!isTaken(text, "locale"), "\(text)")
        }
        #expect(!isTaken("en" + String(repeating: "-a", count: 40), "locale"))
    }

    @Test func `zoneinfo is a time zone's name`() {
        for text in [
            "Europe/Paris", "America/Argentina/Salta", "Etc/GMT+5", "Etc/GMT-14", "UTC", "EST5EDT",
            "America/Port-au-Prince", "Africa/Sao_Tome",
        ] {
            #expect(isTaken(text, "zoneinfo"), "\(text)")
        }
        for text in [
            "../../etc/passwd", "/etc/localtime", "Europe/", "Europe//Paris", "Europe/..", "+02:00", "a b", "2",
        ] {
            #expect(!isTaken(text, "zoneinfo"), "\(text)")
        }
        #expect(!isTaken(String(repeating: "a", count: 65), "zoneinfo"))
    }

    @Test func `birthdate is a day, with its year or without, or a year`() {
        for text in ["1990-02-28", "2000-02-29", "0000-02-29", "0000-12-31", "1980", "2024-02-29"] {
            #expect(isTaken(text, "birthdate"), "\(text)")
        }
        for text in [
            "not-a-date", "1990-02-29", "1900-02-29", "1990-13-01", "1990-00-10", "1990-04-31", "1990-1-1", "0000",
            "19900101", "01/02/1990", "1990-01", "1990-01-01T00:00:00Z", "-990-01-01", "１９９０", "1990-+1-01", "",
        ] {
            #expect(!isTaken(text, "birthdate"), "\(text)")
        }
    }

    @Test(arguments: ["name", "nickname", "username", "email", "postal_code", "whatever"])
    func `is as it looks`(name: String) {
        #expect(isTaken("Jane O’Neil 👩\u{200D}💻", name))
        for text in ["Jane\u{202E}", "J\u{200B}ane", "Ja\u{0}ne", "Jane\nDoe"] { #expect(!isTaken(text, name)) }
    }

    @Test func `address may have lines`() {
        #expect(isTaken("1 Main St\nSpringfield", "address"))
        #expect(!isTaken("1 Main St\u{202E}", "address"))
    }

    @Test func `never stands in what is said against it`() {
        for name in ["picture", "locale", "zoneinfo", "birthdate", "name"] {
            #expect(AttributeRule.fault(of: "sesame\u{0}", named: name)?.contains("sesame") == false)
            #expect(AttributeRule.fault(of: "sesame street", named: name)?.contains("sesame") != true)
        }
    }
}
