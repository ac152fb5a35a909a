import JSON
import Testing
import Wings

@testable import Settings

@Suite struct `The files that phones fetch, as settings` {
    private static let apple = """
        {"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.app"], "components": [{"/": "/cb/*"}]}]},
         "webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}

        """
    private static let fingerprint = [String](repeating: "A0", count: 32).joined(separator: ":")
    private static let android = """
        [{"relation": ["delegate_permission/common.handle_all_urls"],
          "target": {"namespace": "android_app", "package_name": "com.example.app",
                     "sha256_cert_fingerprints": ["\(fingerprint)"]}}]
        """

    private func load(_ text: String, as key: String) -> LoadedSettings {
        SettingsTests.load(least + "associationFiles: {\(key): links}\n", files: ["links": text])
    }

    @Test func `are kept byte for byte, and shown by their names`() throws {
        let yaml = least + "associationFiles: {apple: a.json, android: b.json}\n"
        let loaded = SettingsTests.load(yaml, files: ["a.json": Self.apple, "b.json": Self.android])
        #expect(loaded.faults == [])
        #expect(loaded.settings?.associationFiles.apple == Array(Self.apple.utf8))
        #expect(loaded.settings?.associationFiles.android == Array(Self.android.utf8))
        let shown = loaded.effective.filter { $0.key.hasPrefix("associationFiles.") }
        #expect(shown.map(\.value) == ["a.json", "b.json"])
        let untouched = try #require(SettingsTests.load(least).settings).associationFiles
        #expect(untouched.apple == nil && untouched.android == nil)
        let variables = [
            "GATEHOUSE_ASSOCIATION_FILES_APPLE": "a.json", "GATEHOUSE_ASSOCIATION_FILES_ANDROID": "b.json",
        ]
        let named = SettingsTests.load(
            least, environment: variables, files: ["a.json": Self.apple, "b.json": Self.android])
        #expect(named.settings?.associationFiles.android == Array(Self.android.utf8))
    }

    @Test(arguments: [
        apple, #"{"webcredentials": {"apps": ["TEAM.bundle"]}}"#,
        #"{"applinks": {"details": [{"appIDs": ["A1.b-c.D"]}]}}"#,
        #"{"applinks": {"apps": [], "details": [{"appID": "ABCDE12345.com.example.app", "paths": ["*"]}]}}"#,
        #"{"appclips": {"apps": []}, "webcredentials": {"apps": ["A.b"]}}"#,
    ])
    func `Apple's names app IDs for universal links, for shared credentials, or both`(text: String) {
        #expect(load(text, as: "apple").faults == [])
    }

    @Test(arguments: [
        ("", "a file of JSON, which this one is up to byte 0"), ("{\"applinks\": {},}", "up to byte 16"),
        ("\u{FEFF}{}", "up to byte 0"), (#"{"applinks": {}, "applinks": {}}"#, "each member once"),
        ("\"\\ud800\"", "UTF-8"), (String(repeating: "[", count: 40), "less deep"),
        ("[]", "a JSON object with applinks or webcredentials"), ("{}", "applinks or webcredentials"),
        (#"{"appclips": {"apps": ["A.b"]}}"#, "applinks or webcredentials"),
        (#"{"applinks": null}"#, "details"), (#"{"applinks": {"details": []}}"#, "details"),
        (#"{"applinks": {"details": {"ABCDE12345.com.example.app": {}}}}"#, "details"),
        (#"{"applinks": {"details": [{"appIDs": ["A.b"]}, {"appIDs": []}]}}"#, "object 2"),
        (#"{"applinks": {"details": [{"components": []}]}}"#, "object 1"),
        (#"{"applinks": {"details": [{"appIDs": "A.b"}]}}"#, "app IDs such as"),
        (#"{"webcredentials": {"apps": []}}"#, "webcredentials.apps"),
        (#"{"webcredentials": {"apps": ["A.b", 1]}}"#, "webcredentials.apps"),
        (#"{"webcredentials": ["A.b"]}"#, "webcredentials.apps"),
    ])
    func `what Apple would pass over in silence is a fault that says what is expected`(text: String, words: String) {
        let faults = load(text, as: "apple").faults
        #expect(faults.map(\.key) == ["associationFiles.apple"])
        #expect(faults.map(\.kind) == [.value])
        #expect(faults.map(\.value) == ["links"])
        #expect(faults.first?.expected.contains(words) == true, "\(faults)")
        #expect(faults.first?.source == .file(line: 5))
    }

    @Test(arguments: [
        "com.example.app", "abcde12345.com.example.app", "ABCDE12345", "ABCDE12345.", ".com.example", "A..b", "*.b",
        "A.*",
        "ABCDE 12345.b", "A.b/c", "A.ü", "",
    ])
    func `an app ID is a team's and a bundle's`(identifier: String) {
        #expect(load(#"{"webcredentials": {"apps": ["\#(identifier)"]}}"#, as: "apple").faults.count == 1)
    }

    @Test(arguments: [
        (#""relation": ["delegate_permission/common.handle_all_urls"],"#, "", "relation in statement 1"),
        (#"["delegate_permission/common.handle_all_urls"]"#, "[]", "relation in statement 1"),
        (#"["delegate_permission/common.handle_all_urls"]"#, "[\"handle_all_urls\"]", "relation in statement 1"),
        (#""namespace": "android_app","#, "", "namespace android_app"),
        ("android_app", "ios_app", "namespace android_app"),
        ("android_app", "web", "a site in https"),
        (#""package_name": "com.example.app","#, "", "package_name"), ("com.example.app", "app", "package_name"),
        ("com.example.app", "com.1example", "package_name"), ("com.example.app", "com..app", "package_name"),
        ("com.example.app", "com.example-app", "package_name"),
        ("A0:A0:A0", "A0:A0", "32 bytes"), ("A0:A0:A0", "A0:A0:A0:A0", "32 bytes"),
        ("A0:A0:A0", "A0:a0:A0", "upper case"),
        ("A0:A0:A0", "A0:G0:A0", "32 bytes"), ("A0:A0:A0", "A0A0:A0", "32 bytes"), ("A0:A0:A0", "A0:A:0A0", "32 bytes"),
        ("[\"\(fingerprint)\"]", "[]", "32 bytes"), ("[\"\(fingerprint)\"]", "\"\(fingerprint)\"", "32 bytes"),
    ])
    func `Android's is of statements about apps by package and fingerprint`(part: String, other: String, words: String)
    {
        #expect(load(Self.android, as: "android").faults == [])
        let faults = load(Self.android.replacing(part, with: other, maxReplacements: 1), as: "android").faults
        #expect(faults.map(\.key) == ["associationFiles.android"])
        #expect(faults.first?.expected.contains(words) == true, "\(faults)")
    }

    @Test func `Android's may have statements about sites beside those about apps`() {
        let site =
            #"{"relation": ["delegate_permission/common.get_login_creds"], "target": "#
            + #"{"namespace": "web", "site": "https://acme.example"}}"#
        let both = String(Self.android.dropLast()) + ",\(site)]"
        #expect(load(both, as: "android").faults == [])
        let plain = both.replacing("https://acme.example", with: "http://acme.example")
        #expect(load(plain, as: "android").faults.count == 1)
    }

    @Test(arguments: ["{}", "[]", "[1]", "[null]", "null", "{\"relation\": []}"])
    func `Android's is a list with something in it`(text: String) {
        #expect(load(text, as: "android").faults.map(\.kind) == [.value])
    }

    @Test func `a statement that is wrong is told by its number`() {
        let second = String(Self.android.dropLast()) + ",{}]"
        #expect(load(second, as: "android").faults.first?.expected.contains("statement 2") == true)
    }

    @Test func `have at most 128 KiB`() {
        let rest = String(repeating: " ", count: 131_072 - Self.apple.utf8.count)
        #expect(load(Self.apple + rest, as: "apple").faults == [])
        let faults = load(Self.apple + rest + " ", as: "apple").faults
        #expect(faults.first?.expected == "a file of at most 131072 bytes")
        let huge = Settings.load(
            file: "f", environment: ["GATEHOUSE_PROVIDERS": "zenkey"], wings: Wing.all.map(\.settings)
        ) {
            path throws(SettingsFileError) in
            guard path != "links" else { throw .tooLarge }
            guard path == "f" else { throw .notFound }
            return Array((least + "associationFiles: {apple: links}\n").utf8)
        }
        #expect(huge.faults == faults)
    }

    @Test func `those that are not there are faults beside all others`() {
        let loaded = SettingsTests.load(
            least + "associationFiles: {apple: nowhere, android: elsewhere}\nbrowser: {pendingSignIns: 0}\n")
        #expect(
            Set(loaded.faults.map(\.key)) == [
                "associationFiles.apple", "associationFiles.android", "browser.pendingSignIns",
            ])
        let unreadable = loaded.faults.filter { $0.kind == .unreadableFile }
        #expect(unreadable.map(\.value) == ["nowhere", "elsewhere"])
    }
}
