import JSON
import Syntax
import Testing
import Wings

@testable import Settings

@Suite struct `Settings of the browser's pages` {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0xFF, 0x00]

    private func logo(_ bytes: [UInt8]) -> LoadedSettings {
        load(least + "browser: {logoFile: logo}\n", pictures: ["logo": bytes])
    }

    @Test func `nothing about pages needs to be set`() throws {
        let settings = try #require(load(least).settings)
        #expect(settings.browser.name == nil)
        #expect(settings.browser.logo == nil)
        #expect(settings.browser.pendingSignIns == 200_000)
        #expect(settings.rateLimit.authorizationsPerMinutePerAddress == 600)
        let unlimited = load(least + "rateLimit: {authorizationsPerMinutePerAddress: 0}\n").settings
        #expect(try #require(unlimited).rateLimit.authorizationsPerMinutePerAddress == nil)
    }

    @Test func `the limit of authorizations alone makes trusted proxies worth a notice`() {
        let others = ["signIns", "challenges", "failedRefreshes", "failedAdminTokens"]
        let off = others.map { "\($0)PerMinutePerAddress: 0" }.joined(separator: ", ")
        let yaml = least + "http: {host: 10.0.0.1}\nrateLimit: {\(off)"
        #expect(load(yaml + "}\n").notices.map(\.key) == ["http.trustedProxies"])
        #expect(load(yaml + ", authorizationsPerMinutePerAddress: 0}\n").notices == [])
    }

    @Test(arguments: ["Acme", "Bücher & Söhne", "日本語", String(repeating: "x", count: 64)])
    func `the operator's name is what people read`(name: String) {
        #expect(load(least + "browser: {name: '\(name)'}\n").settings?.browser.name == name)
    }

    @Test(arguments: [String(repeating: "x", count: 65), "a\\nb", "a\\x00b", "a\\u2028b", "a\\x7F"])
    func `a name that is too long or does not fit one line is a fault`(name: String) {
        let faults = load(least + "browser: {name: \"\(name)\"}\n").faults
        #expect(faults.map(\.key) == ["browser.name"])
        #expect(faults.map(\.kind) == [.value])
    }

    @Test(arguments: ["0", "-1", "10000001", "many"])
    func `sign-ins under way always have a limit`(number: String) {
        let faults = load(least + "browser: {pendingSignIns: \(number)}\n").faults
        #expect(faults.map(\.key) == ["browser.pendingSignIns"])
        #expect(load(least + "browser: {pendingSignIns: 1}\n").settings?.browser.pendingSignIns == 1)
        #expect(load(least + "browser: {pendingSignIns: 10000000}\n").settings?.browser.pendingSignIns == 10_000_000)
    }

    @Test(arguments: [
        (Self.png, "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF87a..".utf8), "image/gif"),
        (Array("GIF89a..".utf8), "image/gif"), (Array("RIFF....WEBPVP8 ".utf8), "image/webp"),
        (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml"),
        (Array("<svg/>".utf8), "image/svg+xml"),
        (Array("\u{FEFF}<?xml version='1.0'?>\r\n<!-- > -->\n<!DOCTYPE svg>\n<svg>".utf8), "image/svg+xml"),
    ])
    func `a logo is known by its first bytes, and is a data URI`(bytes: [UInt8], type: String) throws {
        let loaded = logo(bytes)
        #expect(loaded.faults == [])
        #expect(loaded.settings?.browser.logo == "data:\(type);base64,\(Base64.encode(bytes))")
        let shown = try #require(loaded.effective.first { $0.key == "browser.logoFile" })
        #expect(shown.value == "logo")
    }

    @Test(arguments: [
        [], Array("RIFF....WAVE".utf8), Array("BM......".utf8), Array("<html><svg></svg></html>".utf8), [0xFF, 0xD8],
        Array("<svgx>".utf8), Array("<svg".utf8), Array("<?xml version='1.0'".utf8), Array("<?xml?><html/>".utf8),
        Array("<svg>".utf8) + [0xFF],
    ])
    func `a file that is none of those pictures is a fault`(bytes: [UInt8]) {
        let faults = logo(bytes).faults
        #expect(faults.map(\.key) == ["browser.logoFile"])
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.value) == ["logo"])
        #expect(faults.first?.expected.contains("SVG") == true)
        #expect(faults.first?.source == .file(line: 5))
    }

    @Test func `a logo has at most 64 KiB`() throws {
        let rest = [UInt8](repeating: 0, count: 65_536 - Self.png.count)
        #expect(logo(Self.png + rest).faults == [])
        let faults = logo(Self.png + rest + [0]).faults
        #expect(faults.map(\.key) == ["browser.logoFile"])
        #expect(faults.first?.expected.contains("65536 bytes") == true)
        let huge = Settings.load(
            file: "f", environment: ["GATEHOUSE_PROVIDERS": "zenkey"], wings: Wing.all.map(\.settings)
        ) {
            path throws(SettingsFileError) in
            guard path != "logo" else { throw .tooLarge }
            guard path == "f" else { throw .notFound }
            return Array((least + "browser: {logoFile: logo}\n").utf8)
        }
        #expect(huge.faults == faults)
    }

    @Test func `a logo that is not there is a fault`() {
        let faults = load(least + "browser: {logoFile: nowhere.png}\n").faults
        #expect(faults.map(\.key) == ["browser.logoFile"])
        #expect(faults.map(\.kind) == [.unreadableFile])
        #expect(faults.map(\.value) == ["nowhere.png"])
    }

    @Test func `a configuration and a secret that are no UTF-8 are faults`() {
        let configuration = Settings.load(
            file: "f", environment: ["GATEHOUSE_PROVIDERS": "zenkey"], wings: Wing.all.map(\.settings)
        ) {
            _ throws(SettingsFileError) in [0xFF]
        }
        #expect(configuration.faults.map(\.key) == ["f"])
        #expect(configuration.faults.map(\.kind) == [.unreadableFile])
        let secret = load(least + "admin: {tokenFile: token}\n", pictures: ["token": [0xFF, 0xFE]]).faults
        #expect(secret.map(\.key) == ["admin.tokenFile"])
        #expect(secret.first?.expected.contains("UTF-8") == true)
    }
}
