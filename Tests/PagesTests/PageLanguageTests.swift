import Pages
import Testing

@Suite struct `The language of a page` {
    @Test(
        arguments: [
            (nil, .english), ("", .english), ("de, fr;q=0.5", .english),
            ("es", .spanish), ("es-419", .spanish), ("ES-mx", .spanish), ("es-Latn-MX-u-nu-latn", .spanish),
            ("no", .norwegian), ("nb-NO", .norwegian), ("nn", .norwegian), ("da-DK", .danish), ("en-GB", .english),
            ("de, da;q=0.3, es;q=0.8", .spanish), ("da;q=0.5, nb;q=0.5", .danish), ("es;q=0.9, da", .danish),
            ("nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en-US;q=0.6,en;q=0.5", .norwegian),
            (" ,, da\t;\tQ=0.001 ,", .danish), ("es;q=0.999, da;q=1.000", .danish), ("es;q=0., da;q=1.", .danish),
        ] as [(String?, PageLanguage)])
    func `is the one of the greatest weight in Accept-Language, the first of equals, and English when none fits`(
        _ field: String?, expected: PageLanguage
    ) {
        #expect(PageLanguage(acceptLanguage: field) == expected)
    }

    @Test(
        arguments: [
            ("*", .english), ("de, *;q=0.1", .english), ("da;q=0.5, *", .english), ("*, da", .danish),
            ("*;q=0.5, es;q=0.1", .english), ("es;q=0.5, *;q=0.1", .spanish), ("en;q=0, *", .spanish),
            ("en;q=0, *, *;q=0", .spanish),
            ("en;q=0, es;q=0, *;q=0.5", .norwegian), ("*;q=0, da", .danish), ("*;q=0", .english),
        ] as [(String, PageLanguage)])
    func `may be any that Accept-Language does not name, where it has a star`(_ field: String, expected: PageLanguage) {
        #expect(PageLanguage(acceptLanguage: field) == expected)
    }

    @Test(
        arguments: [
            ("es;q=0, da;q=0.1", .danish), ("es;q=0.000, da;q=0.001", .danish), ("es;q=0", .english),
            ("es;q=0, es-MX;q=0.5", .spanish),
        ] as [(String, PageLanguage)])
    func `is none that Accept-Language gives no weight`(_ field: String, expected: PageLanguage) {
        #expect(PageLanguage(acceptLanguage: field) == expected)
    }

    @Test(arguments: [
        "es;q=2", "es;q=1.001", "es;q=0.5555", "es;q=-1", "es;q=", "es;q", "es;", "es;x=1", "es;q=.5", "es;q=1 1",
        "es;q=1;q=1", "es_MX", "es-", "-es", "es--MX", "es-*", "es-ninechars", "esp", "e", "es\u{0}", "es mx",
        "ёs",
        "e\u{301}s", "**", "es;q=0,5",
    ])
    func `is not what a malformed part of Accept-Language seems to name`(_ part: String) {
        #expect(PageLanguage(acceptLanguage: "\(part), da;q=0.1") == .danish)
    }

    @Test func `is English for a header that no browser sends, however much of it would fit`() {
        let fitting = String(repeating: "da,", count: 341) + "d"
        #expect(fitting.utf8.count == 1024)
        #expect(PageLanguage(acceptLanguage: fitting) == .danish)
        #expect(PageLanguage(acceptLanguage: fitting + "a") == .english)
        #expect(PageLanguage(locales: String(repeating: "da ", count: 342), acceptLanguage: "es") == .spanish)
    }

    @Test(
        arguments: [
            ("da", "es", .danish), ("fr-CA  nn-NO da", "es", .norwegian), ("EN-us", "es", .english),
            ("fr de", "es", .spanish), ("", "es", .spanish), (nil, "es", .spanish), (nil, nil, .english),
            ("* da,es -- da_DK es-419", "nb", .spanish), ("da;q=1", "nb", .norwegian),
        ] as [(String?, String?, PageLanguage)])
    func `is the first of ours among the locales that the app names, before the browser is asked`(
        _ locales: String?, _ field: String?, expected: PageLanguage
    ) {
        #expect(PageLanguage(locales: locales, acceptLanguage: field) == expected)
    }
}
