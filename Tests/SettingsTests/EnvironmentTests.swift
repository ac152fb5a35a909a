import Apps
import Crypto
import OpenIDConnect
import Syntax
import Testing

@testable import Settings

@Suite struct `The environment` {
    @Test func `it wins over the file`() throws {
        let loaded = load(least + "http: {port: 1, host: '::1'}\n", environment: ["HTTP_PORT": "2"])
        let settings = try #require(loaded.settings)
        #expect(settings.http.port == 2)
        #expect(settings.http.host == "::1")
        let source = Dictionary(uniqueKeysWithValues: loaded.effective.map { ($0.key, $0.source) })
        #expect(source["http.port"] == .environment("HTTP_PORT"))
        #expect(source["http.host"] == .file(line: 5))
        #expect(source["http.loops"] == .builtIn)
    }

    @Test func `lists are separated by commas`() throws {
        let environment = [
            "PROVIDERS": "plain, zenkey", "API_KEYS": "one,two", "PROVIDER_PLAIN_PROFILE": "openid",
            "PROVIDER_PLAIN_ISSUER": "https://id.example.com", "PROVIDER_PLAIN_CLIENT_ID": "c",
            "PROVIDER_PLAIN_CLIENT_SECRET": "s", "PROVIDER_PLAIN_REDIRECT_URIS": "app:/a, app:/b",
            "PROVIDER_PLAIN_ALGORITHMS": "ES256,EdDSA",
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
        let loaded = load(least, environment: ["PROVIDER_ZENKEY_REQUIRE_NONCE": text])
        #expect(loaded.settings?.listedProviders.sections.first?.requireNonce == flag)
    }

    @Test(arguments: [("PROVIDER_ZENKEY_REQUIRE_NONCE", "on"), ("HTTP_PORT", "80.0"), ("HTTP_LOOPS", "two")])
    func `a value of another type than its key's is a fault that shows it`(name: String, text: String) {
        let faults = load(least, environment: [name: text]).faults
        #expect(faults.map(\.source) == [.environment(name)])
        #expect(faults.map(\.value) == [text])
    }

    @Test func `white space around an element of a list is none of it`() throws {
        let environment = ["PROVIDER_ZENKEY_ALGORITHMS": "\tRS256 , ES256\n", "API_KEYS": "a b"]
        let settings = try #require(load(least, environment: environment).settings)
        #expect(settings.listedProviders.sections.first?.algorithms == [.rs256, .es256])
        #expect(settings.apiKeys.map(\.key.revealedText) == ["a b"])
    }

    @Test func `camel case becomes words, and a hyphen of a provider's name an underscore`() throws {
        let environment = [
            "PROVIDERS": "my-id-2", "PROVIDER_MY_ID_2_CLIENT_ID": "c", "PROVIDER_MY_ID_2_CLIENT_SECRET": "s",
            "PROVIDER_MY_ID_2_REQUIRE_PKCE": "false", "PROVIDER_MY_ID_2_MINIMUM_ACR": "a3",
            "PROVIDER_MY_ID_2_DISCOVERY_URL": "http://127.0.0.1", "PROVIDER_MY_ID_2_ALLOW_LOOPBACK_HTTP": "true",
            "PROVIDER_MY_ID_2_PORT_TOKEN_MAX_AGE_DAYS": "7", "PROVIDER_MY_ID_2_IN_FLIGHT": "9",
            "RATE_LIMIT_SIGN_INS_PER_MINUTE_PER_ADDRESS": "5",
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
        let settings = try #require(load(least + "http: {port: 1}\n", environment: ["HTTP_PORT": ""]).settings)
        #expect(settings.http.port == 1)
    }

    @Test func `a value that its key does not take is a fault that names the variable`() throws {
        let fault = try #require(load(least, environment: ["HTTP_PORT": "http://10.0.0.1"]).faults.first)
        #expect(fault.key == "http.port")
        #expect(fault.value == "http://10.0.0.1")
        #expect(fault.source == .environment("HTTP_PORT"))
    }

    /// As a pod gets them for services called `admin`, `http`, `provider-zenkey` and `mysql`.
    @Test func `variables of Kubernetes services are ignored, and told where they look like ours`() throws {
        var environment: [String: String] = [:]
        for service in ["ADMIN", "HTTP", "PROVIDER_ZENKEY", "MYSQL"] {
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
        #expect(told.contains("ADMIN_PORT") && told.contains("HTTP_PORT"))
        #expect(told.count { $0.hasPrefix("PROVIDER_ZENKEY_") } == 8)
        #expect(told.count == 10)
    }

    @Test(arguments: ["ADMIN_PORT": "tcp:/10.0.0.1", "HTTP_PORT": "8080 tcp://10.0.0.1:80"])
    func `a port that only resembles one of those is a fault`(name: String, value: String) {
        #expect(load(least, environment: [name: value]).faults.map(\.source) == [.environment(name)])
    }

    @Test func `an unknown variable of a listed provider is a fault`() throws {
        let fault = try #require(load(least, environment: ["PROVIDER_ZENKEY_REQUIRE_NONSE": "true"]).faults.first)
        #expect(fault.kind == .unknownKey)
        #expect(fault.key == "PROVIDER_ZENKEY_REQUIRE_NONSE")
        #expect(fault.expected == "PROVIDER_ZENKEY_REQUIRE_NONCE")
    }

    @Test func `a variable one slip away from a key is a notice`() {
        let loaded = load(
            least, environment: ["HTTP_PROT": "80", "LOG_LEVL": "debug", "PROVIDER_OTHER_CLIENT_ID": "x"])
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.map(\.key) == ["HTTP_PROT", "LOG_LEVL", "PROVIDER_OTHER_CLIENT_ID"])
        #expect(loaded.notices.first?.sentence.hasSuffix("HTTP_PORT") == true)
    }

    @Test func `variables of other software are left alone`() {
        let environment = [
            "PATH": "/bin", "HOME": "/", "HTTP_PROXY": "http://proxy", "LOG_DIR": "/var/log",
            "SESSION_MANAGER": "local", "STORAGE_BUCKET_NAME": "b", "ADMIN_EMAIL": "a@example.com", "http_port": "1",
        ]
        let loaded = load(least, environment: environment)
        #expect(loaded.faults.isEmpty)
        #expect(loaded.notices.isEmpty)
        #expect(loaded.settings?.http.port == 8080)
    }
}
