import Foundation
import JSON
import Observability
import Testing
import Wings

@testable import Settings

@Suite struct `Reports` {
    /// Name and help of every key, table by table.
    private static let keys: [[(name: String, help: String)]] =
        [SettingKey<Settings>.all(with: Wing.all.map(\.settings)).map { ($0.name, $0.help) }]
        + SectionKinds.all.map { keys(of: $0) }

    private static func keys<Section: NamedSection>(of kind: Section.Type) -> [(name: String, help: String)] {
        kind.keys.map { ($0.name, $0.help) }
    }

    @Test func `the effective configuration names every key once, with value and source`() throws {
        let loaded = load(
            least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: /run/secrets/z"),
            environment: ["GATEHOUSE_LOG_FORMAT": "json"], files: ["/run/secrets/z": "x"])
        let keys = loaded.effective.map(\.key)
        #expect(keys.count == Set(keys).count)
        #expect(
            keys.count == SettingKey<Settings>.all(with: Wing.all.map(\.settings)).count
                + SettingKey<ProviderSettings>.all.count)
        let lines = SettingsReport.text(loaded.effective).split(separator: "\n")
        func line(_ key: String) -> Substring? { lines.first { $0.hasPrefix(key + " = ") } }
        #expect(line("http.port")?.hasSuffix("  # default") == true)
        #expect(line("http.port")?.hasPrefix("http.port = 8080 ") == true)
        #expect(line("log.format")?.hasSuffix("  # environment GATEHOUSE_LOG_FORMAT") == true)
        #expect(line("provider.zenkey.clientID")?.hasSuffix("  # file, line 3") == true)
        #expect(line("provider.zenkey.clientSecret")?.contains("= <redacted> ") == true)
        #expect(line("provider.zenkey.clientSecret")?.hasSuffix("  # secret file /run/secrets/z") == true)
        #expect(line("admin.token")?.hasPrefix("admin.token = \"\" ") == true)
        #expect(line("provider.zenkey.algorithms")?.contains("= [RS256] ") == true)
    }

    @Test func `the effective configuration is JSON for machines`() throws {
        let loaded = load(least + "  spare: {}\n")
        let json = SettingsReport.json(loaded.effective, notices: loaded.notices)
        let read = try JSONValue(parsing: json.serialized)
        #expect(read == json)
        let settings = try #require(read["settings"]?.array)
        let port = try #require(settings.first { $0["key"] == "http.port" })
        #expect(port == ["key": "http.port", "value": 8080, "source": "default"])
        let pkce = try #require(settings.first { $0["key"] == "provider.zenkey.requirePKCE" })
        #expect(pkce["value"] == true)
        #expect(read["notices"]?.array?.first?["key"] == "provider.spare")
    }

    @Test func `faults read as sentences`() {
        let loaded = load(least + "http: {port: high, prot: 1}\nlog: {level: info, level: debug}\n")
        #expect(
            SettingsReport.text(loaded.faults, notices: loaded.notices) == """
                fault: http.port (file, line 5) is high; expected a port from 1 to 65535, or 0 for one that the kernel \
                chooses
                fault: log.level (file, line 6) is given again; expected each key once
                fault: http.prot (file, line 5) is no key; the nearest is http.port

                """)
    }

    @Test func `faults are JSON for machines`() throws {
        let loaded = load(least + "http: {port: high}\n")
        let json = try JSONValue(parsing: SettingsReport.json(loaded.faults, notices: []).serialized)
        let fault = try #require(json["faults"]?.array?.first)
        #expect(fault["kind"] == "value")
        #expect(fault["key"] == "http.port")
        #expect(fault["value"] == "high")
        #expect(fault["source"] == "file, line 5")
        #expect(fault["expected"]?.string?.isEmpty == false)
    }

    @Test func `the reference has a row for every key, with default and variable`() {
        let rows = SettingsReference.markdown(wings: Wing.all.map(\.settings)).split(separator: "\n")
        let tables = rows.split { $0.hasPrefix("Keys of ") }
        #expect(tables.count == Self.keys.count)
        for (table, keys) in zip(tables, Self.keys) {
            #expect(table.dropFirst(2).count == keys.count)
            for key in keys { #expect(table.filter { $0.hasPrefix("| `\(key.name)` |") }.count == 1, "\(key.name)") }
        }
        #expect(rows.contains { $0.hasPrefix("| `http.port` | `GATEHOUSE_HTTP_PORT` | `8080` | ") })
        #expect(
            rows.contains { $0.hasPrefix("| `clientSecret` | `GATEHOUSE_PROVIDER_NAME_CLIENT_SECRET` | `\"\"` | ") })
        #expect(rows.contains { $0.hasPrefix("| `secret` | `GATEHOUSE_RESOURCE_SERVER_NAME_SECRET` | `\"\"` | ") })
        // Unescaped bars would be cells of their own.
        #expect(
            rows.filter { $0.hasPrefix("|") }.allSatisfy {
                $0.split(separator: " | ").count == 5 || $0.hasPrefix("|--")
            })
    }

    @Test func `the documentation has the reference as it is`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let file = root.appending(path: "Documentation/Configuration.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.firstRange(of: "<!-- keys -->\n\n"))
        let end = try #require(text.firstRange(of: "\n<!-- end of keys -->"))
        #expect(
            text[start.upperBound..<end.lowerBound] == SettingsReference.markdown(wings: Wing.all.map(\.settings)),
            "scripts/reference writes it there anew")
    }

    @Test func `a table's names are unique, and its keys without effect exist`() {
        for table in Self.keys { #expect(Set(table.map(\.name)).count == table.count) }
        #expect(
            KeysWithoutEffect.ofSettings.isSubset(
                of: SettingKey<Settings>.all(with: Wing.all.map(\.settings)).map(\.name)))
    }

    @Test func `reports every help is a sentence`() {
        for help in Self.keys.joined().map(\.help) { #expect(help.hasSuffix("."), "\(help)") }
    }

    @Test(arguments: [
        ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0), ("prot", "port", 2),
    ])
    func `the distance between names is the fewest letters to change`(left: String, right: String, distance: Int) {
        #expect(KnownNames.distance(left, right) == distance)
    }
}

@Suite struct `The format of the log` {
    private func format(_ yaml: String, _ environment: [String: String] = [:]) -> LogFormat {
        Settings.logFormat(file: "gatehouse.yaml", environment: environment) { _ in Array(yaml.utf8) }
    }

    @Test func `the format of the log is known of a configuration that is faulty elsewhere`() {
        #expect(format("http: {port: high}\nlog: {format: json}\n") == .json)
        #expect(format("http: {port: high}\n", ["GATEHOUSE_LOG_FORMAT": "json"]) == .json)
        #expect(format("log: {format: json}\n", ["GATEHOUSE_LOG_FORMAT": "text"]) == .text)
        #expect(format("not: [yaml", ["GATEHOUSE_LOG_FORMAT": "json"]) == .json)
    }

    @Test func `the format of the log is that for people where it can't be known`() {
        #expect(format("log: {format: xml}\n") == .text)
        #expect(format("log: {format: json") == .text)
        #expect(format("") == .text)
    }
}
