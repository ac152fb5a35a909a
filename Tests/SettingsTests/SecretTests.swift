import Apps
import Crypto
import JSON
import Testing

@testable import Settings

@Suite struct `Secrets` {
    @Test func `a secret prints as redacted in every way there is`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump([secret], to: &dumped)
        dump(Optional(secret), to: &dumped)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])",
            "\(Optional(secret) as Any)",
            dumped, "\(Mirror(reflecting: secret).children.map { $0 })",
        ]
        #expect(printed.allSatisfy { !$0.contains("hunter2") })
        #expect("\(secret)" == "<redacted>")
        #expect(secret.revealedText == "hunter2")
    }

    @Test func `settings print without their secrets`() throws {
        let settings = try #require(load(least + "apiKeys: [k3y-one]\nadmin: {token: t0ken-of-16-letters}\n").settings)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in [dumped, "\(settings)", String(reflecting: settings)] {
            for secret in ["s3cret-of-zenkey", "k3y-one", "t0ken"] { #expect(!text.contains(secret)) }
        }
    }

    @Test(arguments: [("s3cret\n", "s3cret"), ("s3cret\r\n", "s3cret"), ("s3cret", "s3cret"), (" s3cret ", " s3cret ")])
    func `a secret file loses one line end and nothing else`(content: String, secret: String) throws {
        let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: /run/secrets/z")
        let loaded = load(yaml, files: ["/run/secrets/z": content])
        #expect(loaded.settings?.listedProviders.sections.first?.clientSecret?.revealedText == secret)
        let effective = try #require(loaded.effective.first { $0.key == "provider.zenkey.clientSecret" })
        #expect(effective.source == .secretFile("/run/secrets/z"))
        #expect(effective.value == "<redacted>")
    }

    @Test(arguments: ["<your secret>", "${CLIENT_SECRET}", "{{ client_secret }}", "<secret-of-16-letters>"])
    func `a secret that nobody has filled in is a fault`(template: String) {
        let provider = load(least.replacing("s3cret-of-zenkey", with: "'\(template)'")).faults
        #expect(provider.map(\.key) == ["provider.zenkey.clientSecret"])
        #expect(provider.first?.expected.contains("filled in") == true)
        let keys = load(least + "apiKeys: ['\(template)']\n").faults
        #expect(keys.map(\.key) == ["apiKeys"])
    }

    @Test func `API keys that can be guessed are worth a notice`() {
        #expect(load(least + "apiKeys: [0123456789abcdef, short]\n").notices.map(\.key) == ["apiKeys"])
        #expect(load(least + "apiKeys: [0123456789abcdef]\n").notices == [])
        #expect(load(least + "apiKeys: [0123456789abcdef, 0123456789abcdef]\n").faults.map(\.key) == ["apiKeys"])
    }

    @Test(arguments: ["a\n\n", "a\nb", "", "\n"])
    func `a secret file with more lines than one, or nothing, is a fault`(content: String) {
        let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: z")
        let faults = load(yaml, files: ["z": content]).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientSecret"])
    }

    @Test func `a secret file may be named by the environment, which wins over the file`() throws {
        let loaded = load(
            least, environment: ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET_FILE": "/run/secrets/z"],
            files: ["/run/secrets/z": "from the file"])
        #expect(loaded.settings?.listedProviders.sections.first?.clientSecret?.revealedText == "from the file")
    }

    @Test func `a secret in the environment wins over a secret file that the file names`() throws {
        let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: nowhere")
        let loaded = load(yaml, environment: ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": "direct"])
        #expect(loaded.settings?.listedProviders.sections.first?.clientSecret?.revealedText == "direct")
    }

    @Test func `a secret and its file in the same place are a fault`() {
        let inFile = load(leastWith("clientSecretFile: z"), files: ["z": "hunter2"]).faults
        #expect(inFile.map(\.kind) == [.conflict])
        #expect(inFile.map(\.key) == ["provider.zenkey.clientSecret"])
        let inEnvironment = load(
            least,
            environment: ["GATEHOUSE_ADMIN_TOKEN": "hunter2-hunter2-hunter2", "GATEHOUSE_ADMIN_TOKEN_FILE": "z"],
            files: ["z": "x"]
        ).faults
        #expect(inEnvironment.map(\.key) == ["admin.token"])
        #expect(!"\(inFile)\(inEnvironment)".contains("hunter2"))
    }

    @Test func `an empty secret beside its file is none`() throws {
        let yaml = least.replacing("s3cret-of-zenkey", with: "\"\"\n    clientSecretFile: z")
        #expect(
            load(yaml, files: ["z": "x"]).settings?.listedProviders.sections.first?.clientSecret?.revealedText == "x")
    }

    @Test func `a secret file that can not be read is the only fault of its key`() {
        let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: nowhere")
        let faults = load(yaml).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientSecretFile"])
        #expect(faults.map(\.kind) == [.unreadableFile])
        #expect(faults.map(\.value) == ["nowhere"])
    }

    @Test func `the path of a secret file must be a text`() {
        let yaml = least.replacing("clientSecret: s3cret-of-zenkey", with: "clientSecretFile: [hunter2]")
        let faults = load(yaml).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientSecretFile"])
    }

    @Test func `a file of API keys holds one a line`() throws {
        let settings = try #require(load(least + "apiKeysFile: keys\n", files: ["keys": "one\n\ntwo\n"]).settings)
        #expect(settings.apiKeys.map(\.key.revealedText) == ["one", "two"])
    }

    /// Every place where a secret can be, right and wrong, with one marker.
    @Test(
        arguments: [
            ("apiKeys: [MARKER, MARKER]", [:]), ("apiKeys: MARKER", [:]), ("apiKeys: {a: MARKER}", [:]),
            ("apiKeys: [[MARKER]]", [:]), ("admin: {token: [MARKER]}", [:]), ("admin: {token: \"MARKER\\x01\"}", [:]),
            ("admin: {tokn: MARKER}", [:]), ("admin: {token: {MARKER: 1}}", [:]), ("MARKER", [:]),
            ("storage: {url: 'postgres://u:MARKER@db/x'}", [:]), ("storage: {url: 'mysql://u:MARKER@db/x'}", [:]),
            ("session: {issuer: 'https://u:MARKER@example.com'}", [:]),
            ("session: {issuer: 'https://u:p@MARKER@example.com'}", [:]),
            ("http: {port: x}\nadmin: {token: MARKER}\napiKeys: [MARKER]", [:]),
            (
                "http: {port: x}",
                [
                    "GATEHOUSE_ADMIN_TOKEN": "MARKER", "GATEHOUSE_API_KEYS": "MARKER,,",
                    "GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRT": "MARKER",
                ]
            ),
            ("admin: {token: 'MARKER", [:]), ("admin: {token: !MARKER x}", [:]), ("? MARKER", [:]),
            ("admin: {token: MARKER}", ["GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": "MARKER"]),
        ] as [(String, [String: String])])
    func `secrets no secret gets into a fault, a notice or the effective configuration`(
        yaml: String, environment: [String: String]
    ) {
        let loaded = load(least + yaml + "\n", environment: environment)
        let told =
            SettingsReport.text(loaded.faults, notices: loaded.notices) + SettingsReport.text(loaded.effective)
            + String(decoding: SettingsReport.json(loaded.faults, notices: loaded.notices).serialized, as: UTF8.self)
            + String(
                decoding: SettingsReport.json(loaded.effective, notices: loaded.notices).serialized, as: UTF8.self)
            + String(reflecting: loaded)
        #expect(!told.contains("MARKER"))
        #expect(!told.contains("s3cret-of-zenkey"))
    }
}
