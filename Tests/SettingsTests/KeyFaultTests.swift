import Testing
import Wings

@testable import Settings

@Suite struct `Faults of keys` {
    @Test(arguments: [
        ("http: {prot: 80}", "http.prot", "http.port"),
        ("htttp:\n  port: 80", "htttp", "http"),
        ("providers_: {zenkey: {clientSecret: x}}", "providers_", "provider"),
        ("port: 80", "port", "http.port"),
        ("admin: {prot: 80}", "admin.prot", "admin.port"),
        ("rateLimit: {signInsPerMinute: 1}", "rateLimit.signInsPerMinute", "rateLimit.signInsPerMinutePerAddress"),
        ("log: {Level: info}", "log.Level", "log.level"),
        ("apiKey: [x]", "apiKey", "apiKeys"),
        ("admin: {tokenfile: x}", "admin.tokenfile", "admin.tokenFile"),
    ])
    func `an unknown key names the nearest known one`(yaml: String, key: String, nearest: String) {
        let faults = load(least + yaml + "\n").faults
        #expect(faults.map(\.kind) == [.unknownKey])
        #expect(faults.map(\.key) == [key])
        #expect(faults.map(\.expected) == [nearest])
    }

    @Test func `an unknown key of a provider names the nearest of that provider`() {
        let faults = load(leastWith("clientId: x")).faults
        #expect(faults.map(\.key) == ["provider.zenkey.clientId"])
        #expect(faults.map(\.expected) == ["provider.zenkey.clientID"])
        #expect(faults.map(\.source) == [.file(line: 5)])
    }

    @Test func `the value of an unknown key is not shown, for it may be a secret`() {
        let faults = load(leastWith("clientSecrt: hunter2")).faults
        #expect(faults.count == 1)
        #expect(!faults.description.contains("hunter2"))
    }

    @Test func `a name that looks like no key is not shown, for it may be a secret`() {
        let faults = load(leastWith("\"clientSecret hunter2\": 1")).faults
        #expect(faults.map(\.kind) == [.unknownKey])
        #expect(!faults.description.contains("hunter2"))
    }

    @Test(arguments: [
        ("admin.token: hunter2hunter2hunter2", "admin.token", "admin: {token: …}"),
        ("\"admin.token\": hunter2", "admin.token", "admin: {token: …}"),
        ("http.prot: hunter2", "http.prot", "http: {port: …}"),
        ("admin.tokenFile: /run/secrets/x", "admin.tokenFile", "admin: {tokenFile: …}"),
        ("provider.zenkey.minimumACR: a3", "provider.zenkey.minimumACR", "provider: {zenkey: {minimumACR: …}}"),
        ("provider.zenkey: {minimumACR: a3}", "provider.zenkey", "provider: {zenkey: …}"),
    ])
    func `a key written with dots is a fault that shows how it is nested`(
        yaml: String, key: String, nested: String
    ) throws {
        let faults = load(least + yaml + "\n").faults
        #expect(faults.map(\.kind) == [.dottedKey])
        #expect(faults.map(\.key) == [key])
        #expect(faults.map(\.expected) == [nested])
        #expect(faults.map(\.source) == [.file(line: 5)])
        #expect(!faults.description.contains("hunter2"))
    }

    @Test func `a key written with dots within a section, too`() {
        let inProvider = load(leastWith("client.ID: x")).faults
        #expect(inProvider.map(\.kind) == [.dottedKey])
        #expect(inProvider.map(\.expected) == ["provider: {zenkey: {clientID: …}}"])
        let besideProvider = load(least + "  zenkey.minimumACR: a3\n").faults
        #expect(besideProvider.map(\.kind) == [.dottedKey])
        #expect(besideProvider.map(\.expected) == ["provider: {zenkey: {minimumACR: …}}"])
    }

    @Test func `faults of keys no suggestion names a key that would be refused`() {
        let faults = load("provider: {zenkey: {returnsTo: []}}\n").faults
            .filter { [.unknownKey, .dottedKey].contains($0.kind) }
        #expect(!faults.isEmpty)
        #expect(faults.allSatisfy { !$0.expected.contains("returnTo:") }, "\(faults)")
    }

    @Test func `a key that was there before may stand with its default`() {
        let loaded = load(leastWith("returnTo: []"))
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["provider.zenkey.returnTo"])
        let faults = load(leastWith("returnTo: ['app:/home']")).faults
        #expect(faults.map(\.kind) == [.notAvailable])
        #expect(faults.map(\.key) == ["provider.zenkey.returnTo"])
    }

    @Test func `a key given twice is a fault with its line`() {
        let faults = load(least + "http:\n  port: 1\n  port: 2\n").faults
        #expect(faults.map(\.kind) == [.duplicateKey])
        #expect(faults.map(\.key) == ["http.port"])
        #expect(faults.map(\.source) == [.file(line: 7)])
    }

    @Test func `a section given twice is a fault`() {
        #expect(load(least + "http: {port: 1}\nhttp: {host: '::1'}\n").faults.map(\.key) == ["http"])
    }

    @Test func `a section that is a text is a fault that lists the section's keys`() throws {
        let fault = try #require(load(least + "log: debug\n").faults.first)
        #expect(fault.key == "log")
        #expect(fault.expected == "a section with the keys level, format")
    }

    @Test func `a section whose keys are all commented out is none`() {
        #expect(load(least + "http:\n  # port: 80\nlog:\n").faults.isEmpty)
    }

    @Test func `a listed provider without a section is a fault`() {
        let faults = load("providers: [zenkey, plain]\n" + least).faults
        #expect(faults.contains { $0.kind == .missing && $0.key == "provider.plain" })
    }

    @Test func `a listed provider that the environment alone configures needs no section`() {
        let environment = [
            "GATEHOUSE_PROVIDER_ZENKEY_CLIENT_ID": "ccid-0", "GATEHOUSE_PROVIDER_ZENKEY_CLIENT_SECRET": "x",
        ]
        #expect(load("providers: [zenkey]\n", environment: environment).faults.isEmpty)
    }

    @Test func `a section that is not listed is a notice, and its content is left alone`() {
        let loaded = load(least + "  spare:\n    profile: nonsense\n    what: ever\n")
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["provider.spare"])
        #expect(loaded.settings?.listedProviders.sections.map(\.name) == ["zenkey"])
    }

    @Test func `a provider's section that is a text is a fault`() throws {
        let loaded = load("providers: [zenkey]\nprovider: {zenkey: yes}\n")
        #expect(loaded.faults.contains { $0.key == "provider.zenkey" && $0.kind == .value })
    }

    @Test func `provider that is no mapping is a fault`() {
        #expect(load("provider: [zenkey]\n").faults.contains { $0.key == "provider" })
    }

    @Test(arguments: ["- a\n- b\n", "just text\n", "[http]\n"])
    func `a file that holds no keys is a fault`(yaml: String) {
        #expect(load(yaml).faults.contains { $0.key == "the file" })
    }

    @Test func `faults of keys no providers at all is a fault`() {
        #expect(load("providers: []\n").faults.map(\.key) == ["providers"])
    }

    @Test(arguments: ["Zenkey", "zen key", "zen_key", "-zenkey", "zenkey-", "zen/key", "''"])
    func `a provider's name that fits no path or variable is a fault, and the only one`(name: String) {
        let faults = load("providers: [\(name)]\n" + least).faults
        #expect(faults.map(\.key) == ["providers"])
        #expect(faults.map(\.kind) == [.value])
    }

    @Test func `a provider listed twice is a fault`() throws {
        let fault = try #require(load("providers: [zenkey, zenkey]\n" + least).faults.first)
        #expect(fault.key == "providers")
        #expect(fault.value == "zenkey")
    }

    @Test func `a missing configuration file is a fault that names it`() {
        let loaded = Settings.load(file: "/nowhere.yaml", environment: [:], wings: Wing.all.map(\.settings)) {
            _ throws(SettingsFileError) in
            throw .notFound
        }
        #expect(loaded.faults.contains { $0.kind == .unreadableFile && $0.key == "/nowhere.yaml" })
    }

    @Test func `a text that is not YAML is a fault with line and column, without content`() throws {
        let fault = try #require(load(leastWith("clientSecret: \"hunter2")).faults.first { $0.kind == .syntax })
        #expect(fault.key == "gatehouse.yaml")
        #expect(fault.source == .file(line: 5))
        #expect(fault.expected.contains("line 5, column 27"))
        #expect(!fault.description.contains("hunter2"))
    }

    @Test func `faults of keys every fault is reported at once`() {
        let yaml = """
            http: {port: high, prot: 1}
            log: {level: loud}
            storage: {url: mysql://u:pw@db/users}
            providers: [zenkey]
            provider:
              zenkey: {algorithms: [none], timeoutSeconds: 30}
            """
        let keys = Set(load(yaml).faults.map(\.key))
        #expect(
            keys == [
                "http.port", "http.prot", "log.level", "storage.url", "provider.zenkey.algorithms",
                "provider.zenkey.timeoutSeconds", "provider.zenkey.clientID", "provider.zenkey.clientSecret",
            ])
    }
}
