import Apps
import Crypto
import FoundationEssentials
import Logging
import Observability
import Providers
import Syntax
import Testing
import Wings

@testable import Settings

@Suite struct `Configuration files` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Config")

    private func text(_ name: String) throws -> String {
        try Settings.contents(of: Self.folder.appending(path: name).path)
    }

    /// What only its owner can know.
    private static let known = [
        "GATEHOUSE_PROVIDER_PLAIN_ISSUER": "https://id.shop.test", "GATEHOUSE_PROVIDER_PLAIN_CLIENT_ID": "shop",
        "GATEHOUSE_SESSION_ISSUER": "https://signin.shop.test",
    ]

    @Test func `the production file holds once its secret is there, and names what to think of`() throws {
        let files = ["/run/secrets/plain_client_secret": "from the orchestrator\n"]
        let loaded = load(try text("gatehouse.yaml"), environment: Self.known, files: files)
        #expect(loaded.faults == [])
        #expect(loaded.notices.map(\.key) == ["http.trustedProxies", "provider.plain.displayName"])
        let settings = try #require(loaded.settings)
        #expect(settings.http.host == "0.0.0.0")
        #expect(settings.log.format == .json)
        #expect(settings.listedProviders.sections.first?.clientSecret?.revealedText == "from the orchestrator")
    }

    @Test func `the production file differs from the defaults only where it says so`() throws {
        let files = ["/run/secrets/plain_client_secret": "x"]
        let shipped = load(try text("gatehouse.yaml"), files: files).effective
        let bare = """
            providers: [plain]
            provider:
              plain:
                profile: openid
                issuer: https://login.example.com
                clientID: gatehouse
                clientSecret: x
                redirectURIs: ['com.example.app:/callback']
            """
        let different = zip(shipped, load(bare).effective).filter { $0.value != $1.value }.map(\.0.key)
        #expect(different == ["http.host", "session.issuer", "log.format"])
    }

    @Test func `the section of ZenKey in the production file holds once it is no comment, and is the preset`() throws {
        var isInSection = false
        let lines = try text("gatehouse.yaml").split(separator: "\n").map { line in
            if line.hasPrefix("  # zenkey:") { isInSection = true }
            if !line.hasPrefix("  # ") { isInSection = false }
            return isInSection ? line.replacing("  # ", with: "  ", maxReplacements: 1) : line
        }
        let files = ["/run/secrets/zenkey_client_secret": "s3cret-of-zenkey"]
        let loaded = load(
            lines.joined(separator: "\n"), environment: ["GATEHOUSE_PROVIDERS": "zenkey"], files: files)
        #expect(loaded.faults == [])
        let section = { (settings: [EffectiveSetting]) in
            settings.filter { $0.key.hasPrefix("provider.zenkey.") }.map(\.value)
        }
        let preset = load(
            leastWith("redirectURIs: ['ccid-0123456789abcdef://com.xci.provider.sdk']") + "    displayName: ZenKey\n")
        #expect(section(loaded.effective) == section(preset.effective))
    }

    @Test func `the sections of apps and resource servers in the production file hold once they are no comments`()
        throws
    {
        let commented = ["# app:", "#   acme:", "# resourceServer:", "#   api:", "#     "]
        let lines = try text("gatehouse.yaml").split(separator: "\n").map { line in
            commented.contains { line.hasPrefix($0) } ? line.dropFirst(2) : line
        }
        let loaded = load(
            lines.joined(separator: "\n"),
            environment: ["GATEHOUSE_APPS": "acme", "GATEHOUSE_RESOURCE_SERVERS": "api"],
            files: ["/run/secrets/plain_client_secret": "x", "/run/secrets/api_secret": "s3cret-of-the-api"])
        #expect(loaded.faults == [])
        let settings = try #require(loaded.settings)
        #expect(settings.apps.map(\.redirectURIs.count) == [3])
        #expect(settings.resourceServers.map(\.id) == ["api"])
    }

    @Test func `the demo file holds and names the simulated carriers`() throws {
        let loaded = load(try text("gatehouse.demo.yaml"))
        #expect(loaded.faults == [])
        #expect(loaded.notices == [])
        let settings = try #require(loaded.settings)
        #expect(settings.listedProviders.sections.map(\.name) == ["zenkey", "plain", "beyond"])
        #expect(settings.listedProviders.sections.map(\.profile.name) == ["zenkey", "openid", "beyond-identity"])
        #expect(
            settings.listedProviders.sections.map(\.discoveryURL?.text).first
                == "http://127.0.0.1:9000/.well-known/openid_configuration")
        #expect(
            settings.listedProviders.sections.map(\.issuer?.text)
                == [nil, "http://127.0.0.1:9003", "http://127.0.0.1:9005"])
        #expect(
            settings.listedProviders.sections.map(\.clientID)
                == ["ccid-0123456789abcdef", "gatehouse-demo", "gatehouse-beyond"])
        #expect(
            settings.listedProviders.sections.map(\.clientSecret?.revealedText)
                == ["demo-secret", "demo-secret-plain", "demo-secret-beyond"])
        #expect(
            settings.listedProviders.sections.map(\.algorithms) == [[.rs256], [.rs256, .es256], [.rs256, .es256]])
        #expect(settings.listedProviders.sections.first?.trustedIssuers == ["127.0.0.1"])
        #expect(
            settings.listedProviders.sections.map(\.redirectURIs) == [
                ["ccid-0123456789abcdef://com.xci.provider.sdk", "http://127.0.0.1:9000/app/approved"],
                ["com.example.app:/callback", "http://127.0.0.1:9000/app/linked"], ["com.example.app:/beyond"],
            ])
        #expect(settings.apps.map(\.clientID) == ["sample-app"])
        #expect(settings.apps.map(\.origins) == [["http://127.0.0.1:9000"]])
        #expect(settings.listedProviders.sections.map(\.allowLoopbackHTTP) == [true, true, true])
    }

    @Test func `a file in flow style with many providers holds`() throws {
        var yaml = """
            http: {host: 127.0.0.1, port: 40123}
            admin: {host: 127.0.0.1, port: 40124}
            storage: {url: 'file:/tmp/rp tests/users.db'}
            rateLimit: {signInsPerMinutePerAddress: 0}
            providers: [rp-response-type-code, rp-id-token-sig-es256]
            provider:

            """
        for (name, algorithm) in [("rp-response-type-code", "RS256"), ("rp-id-token-sig-es256", "ES256")] {
            yaml += """
                  \(name):
                    profile: openid
                    issuer: http://127.0.0.1:40000/gatehouse/\(name.replacing("-", with: "_"))
                    clientID: "swift-rp"
                    clientSecret: "swift-rp-secret-0123456789abcdef-0123456789"
                    redirectURIs: ["com.example.app:/cb"]
                    algorithms: [\(algorithm)]
                    allowLoopbackHTTP: true
                    timeoutSeconds: 30
                    signInTimeoutSeconds: 60

                """
        }
        let loaded = load(yaml)
        #expect(loaded.faults == [])
        let settings = try #require(loaded.settings)
        #expect(settings.listedProviders.sections.map(\.name) == ["rp-response-type-code", "rp-id-token-sig-es256"])
        #expect(settings.listedProviders.sections.map(\.algorithms) == [[.rs256], [.es256]])
        guard case .file("/tmp/rp tests/users.db") = settings.storage.url else {
            Issue.record("another path")
            return
        }
    }

    @Test func `a file for measurements holds`() throws {
        let yaml = """
            http: {host: 127.0.0.1, port: 40123}
            admin: {host: 127.0.0.1, port: 40124}
            storage: {url: "file:/tmp/bench/users.db"}
            rateLimit: {signInsPerMinutePerAddress: 0}   # 0 = off
            log: {level: warning}
            providers: [bench]
            provider:
              bench:
                profile: zenkey
                discoveryURL: http://127.0.0.1:40125/.well-known/openid_configuration
                clientID: ccid-bench00000000001
                clientSecret: bench-secret
                redirectURIs: ["https://app.example.com/cb"]
                trustedIssuers: ["127.0.0.1"]
                allowLoopbackHTTP: true
                inFlight: 20000
                connectionsPerHost: 2000
                caFile: ""

            """
        let loaded = load(yaml)
        #expect(loaded.faults == [])
        #expect(loaded.settings?.listedProviders.sections.first?.connectionsPerHost == 2000)
        #expect(loaded.settings?.log.level == .warning)
        let tls = yaml.replacing("caFile: \"\"", with: "caFile: /tmp/bench/carrier-0/ca.pem")
        let files = ["/tmp/bench/carrier-0/ca.pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"]
        #expect(
            load(tls, files: files).settings?.listedProviders.sections.first?.caFile == "/tmp/bench/carrier-0/ca.pem")
    }
}

@Suite struct `Files of this process` {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `a configuration file and its secret files are read`() throws {
        try withFolder { folder in
            let secret = folder.appending(path: "secret")
            try Data("hunter2\n".utf8).write(to: secret)
            let file = folder.appending(path: "gatehouse.yaml")
            let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: '\(secret.path)'")
            try Data((yaml + "providers: [zenkey]\n").utf8).write(to: file)
            let loaded = Settings.loadOfProcess(file: file.path, wings: Wing.all.map(\.settings))
            #expect(loaded.faults == [])
            #expect(loaded.settings?.listedProviders.sections.first?.clientSecret?.revealedText == "hunter2")
        }
    }

    @Test func `a file that is missing, a folder, too large or not text says so`() throws {
        try withFolder { folder in
            func error(_ name: String) -> SettingsFileError? {
                do {
                    _ = try Settings.contents(of: folder.appending(path: name).path)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error("nowhere") == .notFound)
            guard case .system? = error("") else {
                Issue.record("a folder was read")
                return
            }
            try Data(repeating: 0x61, count: Settings.maximumFileBytes).write(to: folder.appending(path: "large"))
            #expect(error("large") == nil)
            try Data(repeating: 0x61, count: Settings.maximumFileBytes + 1).write(to: folder.appending(path: "larger"))
            #expect(error("larger") == .tooLarge)
            try Data([0xFF, 0xFE]).write(to: folder.appending(path: "latin"))
            #expect(error("latin") == .notUTF8)
        }
    }
}
