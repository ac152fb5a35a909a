import Apps
import Providers
import Testing

@testable import Settings

@Suite struct `How people know a provider` {
    private static func openID(_ lines: String...) -> String {
        "providers: [kc]\nprovider:\n  kc:\n"
            + ([
                "profile: openid", "issuer: https://login.acme.example/realms/x", "clientID: x", "clientSecret: x",
                "redirectURIs: ['app:/x']",
            ]
            + lines).map { "    \($0)\n" }.joined()
    }

    @Test func `is what the operator says, else the profile's name, else the issuer's host, which is worth a notice`()
        throws
    {
        #expect(load(least).settings?.providers.first?.displayName == "ZenKey")
        let named = load(leastWith("displayName: 'Acme Mobil'"))
        #expect(named.settings?.providers.first?.displayName == "Acme Mobil" && named.notices.isEmpty)
        let nameless = load(Self.openID())
        #expect(nameless.settings?.providers.first?.displayName == "login.acme.example")
        #expect(nameless.notices.map(\.key) == ["provider.kc.displayName"])
        #expect(nameless.notices.first?.sentence.contains("login.acme.example") == true)
        #expect(load(Self.openID("displayName: Acme")).notices.isEmpty)
    }

    @Test(arguments: ["google": "Google", "line": "LINE", "facebook": "Facebook"])
    func `is its own name where everybody calls it by that`(profile: String, name: String) throws {
        let yaml = "providers: [p]\nprovider:\n  p: {profile: \(profile), clientID: '1', clientSecret: x}\n"
        let settings = try #require(load(yaml).settings)
        #expect(settings.providers.map(\.displayName) == [name])
    }

    @Test func `is worth a notice where it is another's too`() {
        let two = """
            providers: [a, b]
            provider:
              a: {profile: google, clientID: '1', clientSecret: x, redirectURIs: ['a:/a']}
              b: {profile: google, clientID: '2', clientSecret: x, redirectURIs: ['a:/b']}

            """
        let notices = load(two).notices.filter { $0.key.hasSuffix("displayName") }
        #expect(notices.map(\.key) == ["provider.b.displayName"])
        #expect(notices.first?.sentence.contains("as for a") == true)
    }

    @Test func `has a place among the others`() {
        #expect(load(leastWith("order: -3")).settings?.providers.first?.order == -3)
        #expect(load(leastWith("order: first")).faults.map(\.key) == ["provider.zenkey.order"])
    }

    @Test func `is for an app what the operator says, else its name`() {
        #expect(load(leastWithApp).settings?.apps.map(\.displayName) == ["acme"])
        #expect(load(appWith("displayName: 'Acme Bank'")).settings?.apps.map(\.displayName) == ["Acme Bank"])
        #expect(load(appWith("displayName: \"a\\u202Eb\"")).faults.map(\.key) == ["app.acme.displayName"])
    }
}

@Suite struct `The picture of a provider` {
    private static let head = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'"
    private static func svg(_ content: String) -> String { "\(head)>\(content)</svg>" }

    private func load(_ bytes: [UInt8]) -> LoadedSettings {
        SettingsTests.load(leastWith("logoFile: logo"), pictures: ["logo": bytes])
    }

    private static func png(
        _ width: Int, _ height: Int, chunks: [(String, Int)] = [("IDAT", 3), ("IEND", 0)], behind: [UInt8] = []
    ) -> [UInt8] {
        func number(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
            number(content.count) + Array(type.utf8) + content + [0, 0, 0, 0]
        }
        let header = chunk("IHDR", number(width) + number(height) + [8, 6, 0, 0, 0])
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + header
            + chunks.flatMap { chunk($0.0, Array(repeating: 0, count: $0.1)) } + behind
    }

    @Test func `is a PNG, taken as it is`() throws {
        let bytes = Self.png(64, 1024)
        let logo = try #require(load(bytes).settings?.providers.first?.logo)
        #expect(logo.mediaType == .png && logo.bytes == bytes)
    }

    private static let brokenPNGs: [(bytes: [UInt8], found: String)] = [
        (png(0, 8), "0 by 8"), (png(8, 1025), "8 by 1025"), (png(1 << 31, 1), "by 1 pixels"),
        (png(8, 8, behind: Array("<html>".utf8)), "6 bytes behind"), (png(8, 8, chunks: [("IEND", 0)]), "no picture"),
        (png(8, 8, chunks: [("IDAT", 3)]), "no end"), (Array(png(8, 8).dropLast(2)), "middle of a chunk"),
        (png(8, 8, chunks: [("acTL", 8), ("IDAT", 1), ("IEND", 0)]), "an animation"),
        (png(8, 8, chunks: [("IHDR", 13), ("IDAT", 1), ("IEND", 0)]), "header"),
        (Array(png(8, 8).prefix(8)), "no end"),
    ]

    @Test(arguments: brokenPNGs)
    func `is no PNG that is too large, broken, animated, or something else as well`(bytes: [UInt8], found: String) {
        let faults = load(bytes).faults
        #expect(faults.map(\.key) == ["provider.zenkey.logoFile"] && faults.map(\.value) == ["logo"])
        #expect(faults.first?.expected.contains(found) == true, "\(faults)")
    }

    private static let pictures: [String] = [
        svg("<path d='M0 0h8v8z' fill='#123'/>"),
        "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Acme -->\n" + svg("<title>Æ &amp; Ø (logo)</title>"),
        svg(
            "<defs><linearGradient id='a'><stop offset='0' style='stop-color:rgb(1,2,3)'/></linearGradient></defs>"
                + "<rect width='8' height='8' fill='url(#a)' transform='translate(1 2) rotate(3)'/>"),
        svg("<style>.a{fill:#fff;stroke:url(#b)}</style><g class='a'><circle r='1'/></g>"),
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'>"
            + "<defs><path id='p' d='M0 0'/></defs><mask id='m'><use xlink:href='#p'/></mask><g mask='url(#m)'/></svg>",
    ]

    @Test(arguments: pictures)
    func `is an SVG that draws`(text: String) throws {
        let loaded = load(Array(text.utf8))
        #expect(loaded.faults == [])
        #expect(loaded.settings?.providers.first?.logo?.mediaType == .svg)
    }

    /// What somebody would write who gets a picture in and wants more of it.
    private static let attacks: [(text: String, found: String)] = [
        (svg("<script>alert(1)</script>"), "the element script"),
        (svg("<ScRiPt/>"), "the element ScRiPt"),
        ("\(head) onload='alert(1)'/>", "the event handler onload"),
        (svg("<g ONCLICK='x()'/>"), "the event handler ONCLICK"),
        (svg("<foreignObject><p/></foreignObject>"), "the element foreignObject"),
        (svg("<image href='https://evil.example/x'/>"), "the element image"),
        (svg("<a href='https://evil.example'><path/></a>"), "the element a"),
        (svg("<animate attributeName='href' to='javascript:x'/>"), "the element animate"),
        (svg("<set attributeName='onclick' to='x()'/>"), "the element set"),
        (svg("<use href='https://evil.example/x#y'/>"), "elsewhere in href"),
        (svg("<use xlink:href='data:image/svg+xml,x'/>"), "elsewhere in xlink:href"),
        (svg("<use href='javascript:alert(1)'/>"), "elsewhere in href"),
        (svg("<rect fill='url(https://evil.example/x)'/>"), "elsewhere in url()"),
        (svg("<rect fill='URL( #a)'/>"), "elsewhere in url()"),
        (svg("<rect style='fill:url(\"//evil.example\")'/>"), "elsewhere in url()"),
        (svg("<rect style='fill:u\\72l(//evil.example)'/>"), "backslash"),
        (svg("<rect cursor='image-set(&quot;//evil.example&quot; 1x)'/>"), "the function image-set"),
        (svg("<style>@import '//evil.example'</style>"), "@ in its style"),
        (svg("<style>g{mask-image:src(x)}</style>"), "mask"),
        (svg("<style>g{-moz-binding:url(#x)}</style>"), "binding"),
        (svg("<style>@font-face{src:url(//evil.example)}</style>"), "@ in its style"),
        (svg("<style><![CDATA[@import 'x']]></style>"), "CDATA"),
        (svg("<style>&#64;import 'x'</style>"), "the entity #64"),
        ("<!DOCTYPE svg [<!ENTITY x 'y'>]>" + svg("&x;"), "a document type"),
        (svg("<!ENTITY x 'y'>"), "an entity"),
        ("<?xml-stylesheet href='//evil.example'?>" + svg(""), "processing instruction"),
        (svg("<?php x ?>"), "processing instruction"),
        ("<?xml version='1.0' encoding='UTF-7'?>" + svg(""), "another encoding"),
        (svg("<x:script xmlns:x='http://www.w3.org/2000/svg'/>"), "the element x:script"),
        (svg("<g xmlns='http://www.w3.org/1999/xhtml'/>"), "the namespace"),
        (svg("<g y:href='x' xmlns:y='http://www.w3.org/1999/xlink'/>"), "the attribute y:href"),
        (svg("<filter id='f'/>"), "the element filter"), (svg("<pattern id='f'/>"), "the element pattern"),
        (svg(String(repeating: "<use href='#a'/>", count: 25)), "references"),
        (svg(String(repeating: "<g>", count: 70)), "deeper"),
        ("<svg/>", "no xmlns"), ("<html xmlns='http://www.w3.org/1999/xhtml'/>", "the element html"),
        ("\(head) viewBox='x'/>", "twice the attribute"), (svg("<g>"), "out of place"), (head, "broken"),
        (svg("") + "<svg/>", "a second element"), (svg("") + "x", "text outside"), ("", "an end before"),
        (svg("<!-- a -- b -->"), "hyphens"), (svg("<!-- a"), "without an end"), (svg("<g a=b/>"), "no quotes"),
        (svg("\u{0}"), "control"), (svg("<g id='a'class='b'/>"), "a broken tag"),
    ]

    @Test(arguments: attacks)
    func `is no SVG that is anything else`(text: String, found: String) {
        let faults = load(Array(text.utf8)).faults
        #expect(faults.map(\.key) == ["provider.zenkey.logoFile"])
        #expect(faults.first?.expected.contains(found) == true, "\(faults)")
    }

    @Test func `is no other file, none that is too large, and none that can't be read`() {
        for bytes in [Array("GIF89a..".utf8), [0xFF, 0xD8, 0xFF, 0xE0], Array("x".utf8)] {
            #expect(load(bytes).faults.map(\.key) == ["provider.zenkey.logoFile"])
        }
        let large = Self.svg(String(repeating: "<g/>", count: 1 << 14))
        #expect(load(Array(large.utf8)).faults.first?.expected.contains("\(large.utf8.count) bytes") == true)
        let missing = SettingsTests.load(leastWith("logoFile: nothing"))
        #expect(missing.faults.map(\.kind) == [.unreadableFile])
    }
}
