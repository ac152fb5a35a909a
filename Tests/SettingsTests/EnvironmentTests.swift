import Apps
import Crypto
import JSON
import Providers
import Syntax
import Testing

@testable import Settings

@Suite struct `The environment` {
    @Test func `it wins over the file`() throws {
        let loaded = load(least + "http: {port: 1, host: '::1'}\n", environment: ["GATEHOUSE_HTTP_PORT": "2"])
        let settings = try #require(loaded.settings)
        #expect(settings.http.port == 2)
        #expect(settings.http.host == "::1")
        let source = Dictionary(uniqueKeysWithValues: loaded.effective.map { ($0.key, $0.source) })
        #expect(source["http.port"] == .environment("GATEHOUSE_HTTP_PORT"))
        #expect(source["http.host"] == .file(line: 5))
        #expect(source["http.loops"] == .builtIn)
    }

    @Test func `lists are separated by commas`() throws {
        let environment = [
            "GATEHOUSE_PROVIDERS": "plain, zenkey", "GATEHOUSE_API_KEYS": "one,two",
            "GATEHOUSE_PROVIDER_PLAIN_PROFILE": "openid",
            "GATEHOUSE_PROVIDER_PLAIN_ISSUER": "https://id.example.com", "GATEHOUSE_PROVIDER_PLAIN_CLIENT_ID": "c",
            "GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET": "s", "GATEHOUSE_PROVIDER_PLAIN_REDIRECT_URIS": "app:/a, app:/b",
            "GATEHOUSE_PROVIDER_PLAIN_ALGORITHMS": "ES256,EdDSA",
        ]
        let settings = try #require(load(least, environment: environment).settings)
        #expect(settings.listedProviders.sections.map(\.name) == ["plain", "zenkey"])
        #expect(settings.apiKeys.map(\.key.revealedText) == ["one", "two"])
        #expect(settings.listedProviders.sections.first?.redirectURIs == ["app:/a", "app:/b"])
        #expect(settings.listedProviders.sections.first?.algorithms == [.es256, .edDSA])
    }

    @Test(arguments: [
        ("true", true), ("TRUE", true), ("Yes", true), ("1", true), ("false", false), ("False", false), ("NO", false),
        ("0", false),
    ])
    func `a flag is written as a word or a digit, in any case`(text: String, flag: Bool) throws {
        let loaded = load(least, environment: ["GATEHOUSE_PROVIDER_ZENKEY_REQUIRE_NONCE": text])
        #expect(loaded.settings?.listedProviders.sections.first?.requireNonce == flag)
    }

    @Test(arguments: [
        ("GATEHOUSE_PROVIDER_ZENKEY_REQUIRE_NONCE", "on"), ("GATEHOUSE_HTTP_PORT", "80.0"),
        ("GATEHOUSE_HTTP_LOOPS", "two"),
    ])
    func `a value of another type than its key's is a fault that shows it`(name: String, text: String) {
        let faults = load(least, environment: [name: text]).faults
        #expect(faults.map(\.source) == [.environment(name)])
        #expect(faults.map(\.value) == [text])
    }

    @Test func `white space around an element of a list is none of it`() throws {
        let environment = ["GATEHOUSE_PROVIDER_ZENKEY_ALGORITHMS": "\tRS256 , ES256\n", "GATEHOUSE_API_KEYS": "a b"]
        let settings = try #require(load(least, environment: environment).settings)
        #expect(settings.listedProviders.sections.first?.algorithms == [.rs256, .es256])
        #expect(settings.apiKeys.map(\.key.revealedText) == ["a b"])
    }

    @Test func `camel case becomes words, and a hyphen of a provider's name an underscore`() throws {
        let environment = [
            "GATEHOUSE_PROVIDERS": "my-id-2", "GATEHOUSE_PROVIDER_MY_ID_2_CLIENT_ID": "c",
            "GATEHOUSE_PROVIDER_MY_ID_2_CLIENT_SECRET": "s",
            "GATEHOUSE_PROVIDER_MY_ID_2_REQUIRE_PKCE": "false", "GATEHOUSE_PROVIDER_MY_ID_2_MINIMUM_ACR": "a3",
            "GATEHOUSE_PROVIDER_MY_ID_2_DISCOVERY_URL": "http://127.0.0.1",
            "GATEHOUSE_PROVIDER_MY_ID_2_ALLOW_LOOPBACK_HTTP": "true",
            "GATEHOUSE_PROVIDER_MY_ID_2_PORT_TOKEN_MAX_AGE_DAYS": "7", "GATEHOUSE_PROVIDER_MY_ID_2_IN_FLIGHT": "9",
            "GATEHOUSE_RATE_LIMIT_SIGN_INS_PER_MINUTE_PER_ADDRESS": "5",
        ]
        let loaded = load(nil, environment: environment)
        #expect(loaded.faults.isEmpty)
        let provider = try #require(loaded.settings?.listedProviders.sections.first)
        #expect(provider.name == "my-id-2")
        #expect(!provider.requirePKCE)
        #expect(provider.minimumACR?.values == "a3")
        #expect(provider.discoveryURL?.text == "http://127.0.0.1")
        #expect(provider.allowLoopbackHTTP)
        #expect(provider.portTokenMaxAgeDays == 7)
        #expect(provider.inFlight == 9)
        #expect(loaded.settings?.rateLimit.signInsPerMinutePerAddress == 5)
    }

    @Test func `an empty variable counts as absent`() throws {
        let settings = try #require(
            load(least + "http: {port: 1}\n", environment: ["GATEHOUSE_HTTP_PORT": ""]).settings)
        #expect(settings.http.port == 1)
    }

    @Test func `a value that its key does not take is a fault that names the variable`() throws {
        let fault = try #require(load(least, environment: ["GATEHOUSE_HTTP_PORT": "http://10.0.0.1"]).faults.first)
        #expect(fault.key == "http.port")
        #expect(fault.value == "http://10.0.0.1")
        #expect(fault.source == .environment("GATEHOUSE_HTTP_PORT"))
    }

    /// As a pod gets them for services with these names.
    @Test func `variables of Kubernetes services are ignored, and told where they look like ours`() throws {
        var environment: [String: String] = [:]
        let services = [
            "GATEHOUSE", "GATEHOUSE_ADMIN", "GATEHOUSE_HTTP", "GATEHOUSE_PROVIDER_ZENKEY", "ADMIN", "MYSQL",
        ]
        for service in services {
            environment["\(service)_SERVICE_HOST"] = "10.0.0.1"
            environment["\(service)_SERVICE_PORT"] = "8081"
            environment["\(service)_SERVICE_PORT_METRICS"] = "8081"
            environment["\(service)_PORT"] = "tcp://10.0.0.1:8081"
            environment["\(service)_PORT_8081_TCP"] = "tcp://10.0.0.1:8081"
            environment["\(service)_PORT_8081_TCP_PROTO"] = "tcp"
            environment["\(service)_PORT_8081_TCP_PORT"] = "8081"
            environment["\(service)_PORT_8081_TCP_ADDR"] = "10.0.0.1"
        }
        let loaded = load(least + "http: {port: 81}\n", environment: environment)
        #expect(loaded.faults == [])
        #expect(loaded.settings?.admin.port == 8081)
        #expect(loaded.settings?.http.port == 81)
        let told = loaded.notices.map(\.key)
        #expect(told.contains("GATEHOUSE_ADMIN_PORT") && told.contains("GATEHOUSE_HTTP_PORT"))
        #expect(told.count { $0.hasPrefix("GATEHOUSE_PROVIDER_ZENKEY_") } == 8)
        #expect(told.count == 10)
    }

    @Test(arguments: ["GATEHOUSE_ADMIN_PORT": "tcp:/10.0.0.1", "GATEHOUSE_HTTP_PORT": "8080 tcp://10.0.0.1:80"])
    func `a port that only resembles one of those is a fault`(name: String, value: String) {
        #expect(load(least, environment: [name: value]).faults.map(\.source) == [.environment(name)])
    }

    @Test(arguments: [
        ("GATEHOUSE_PROVIDER_ZENKEY_REQUIRE_NONSE", "GATEHOUSE_PROVIDER_ZENKEY_REQUIRE_NONCE"),
        ("GATEHOUSE_HTTP_PROT", "GATEHOUSE_HTTP_PORT"), ("GATEHOUSE_LOGLEVEL", "GATEHOUSE_LOG_LEVEL"),
        ("GATEHOUSE_HTTP_LISTEN_PORT", "GATEHOUSE_HTTP_PORT"), ("GATEHOUSE_APIKEYS", "GATEHOUSE_API_KEYS"),
    ])
    func `a variable with our prefix that names no key is a fault with the nearest`(name: String, nearest: String)
        throws
    {
        let fault = try #require(load(least, environment: [name: "x"]).faults.first)
        #expect(fault.kind == .unknownKey)
        #expect(fault.key == name)
        #expect(fault.expected == nearest)
    }

    @Test func `one with our prefix that is far from every key, or of a section that is not listed, is told`() {
        let variables = ["GATEHOUSE_COLOUR": "red", "GATEHOUSE_PROVIDER_OTHER_CLIENT_ID": "x"]
        let loaded = load(least, environment: variables)
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == variables.keys.sorted())
    }

    @Test(arguments: [
        "LOG_LEVEL": "warn", "HTTP_PORT": "http", "API_KEYS": "another-key-of-a-platform",
        "PROVIDER_ZENKEY_CLIENT_SECRET": "another secret",
    ])
    func `a variable without the prefix is told and not read`(name: String, value: String) throws {
        let loaded = load(least, environment: [name: value])
        #expect(loaded.settings != nil)
        #expect(loaded.effective == load(least).effective)
        let notice = try #require(loaded.notices.first)
        #expect(loaded.notices.count == load(least).notices.count + 1)
        #expect(notice.key == name)
        #expect(notice.sentence.hasSuffix("only GATEHOUSE_\(name) is"))
    }

    @Test(arguments: [
        ("warn", "warning"), ("WARN", "warning"), ("Warning", "warning"), ("err", "error"), ("fatal", "critical"),
        ("verbose", "trace"), ("Information", "info"), ("DEBUG", "debug"),
    ])
    func `a level goes by its usual names, in any case`(written: String, level: String) {
        for loaded in [
            load(least, environment: ["GATEHOUSE_LOG_LEVEL": written]), load(least + "log: {level: \(written)}\n"),
        ] {
            #expect(loaded.effective.first { $0.key == "log.level" }?.value == .string(level))
        }
    }

    @Test func `variables of other software are left alone`() {
        let environment = [
            "PATH": "/bin", "HOME": "/", "HTTP_PROXY": "http://proxy", "LOG_DIR": "/var/log", "LOG_LEVL": "debug",
            "SESSION_MANAGER": "local", "STORAGE_BUCKET_NAME": "b", "ADMIN_EMAIL": "a@example.com", "http_port": "1",
        ]
        let loaded = load(least, environment: environment)
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.isEmpty)
        #expect(loaded.settings?.http.port == 8080)
    }
}
