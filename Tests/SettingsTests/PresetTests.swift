import Crypto
import JSON
import Providers
import Syntax
import Testing

@testable import Settings

/// The least that holds for a profile: what only its operator knows.
private struct Minimum: Sendable, CustomTestStringConvertible {
    let profile: String
    let lines: [String]
    /// The keys without which there is a fault, of those in `lines`.
    var demanded: [String]

    var testDescription: String { profile }

    private static let web = ["clientID: web", "clientSecret: s3cret"]
    private static let usual = ["clientID", "clientSecret"]

    static let all =
        [
            Minimum(
                profile: "apple",
                lines: [
                    "clientID: com.example.app", "clientKeyFile: key.p8", "appleTeamID: TEAM123456",
                    "appleKeyID: KEY1234567",
                ], demanded: ["clientID", "clientKey", "appleTeamID", "appleKeyID"]),
            Minimum(profile: "google", lines: web, demanded: usual),
            Minimum(
                profile: "microsoft", lines: web + ["tenants: [0f5e1d2c-3b4a-4968-8776-a5b4c3d2e1f0]"],
                demanded: usual + ["tenants"]),
            Minimum(profile: "facebook", lines: ["clientID: '1234567890'"], demanded: ["clientID"]),
            Minimum(profile: "line", lines: ["clientID: '1234567890'"], demanded: ["clientID"]),
        ]
        + ["auth0", "okta", "keycloak", "cognito"].map {
            Minimum(profile: $0, lines: web + ["issuer: https://login.example/"], demanded: usual + ["issuer"])
        }

    func yaml(without key: String? = nil, with more: [String] = []) -> String {
        let own = lines.filter { line in key.map { !line.hasPrefix($0) } ?? true }
        return "providers: [p]\nprovider:\n  p:\n"
            + (["profile: \(profile)"] + own + more).map { "    \($0)\n" }.joined()
    }

    func load(without key: String? = nil, with more: [String] = [], environment: [String: String] = [:]) throws
        -> LoadedSettings
    {
        let pem = try PrivateKey.generate(.ellipticCurve(.p256)).pemRepresentation().revealedText
        return SettingsTests.load(
            yaml(without: key, with: more), environment: environment, files: ["key.p8": pem])
    }
}

@Suite struct `The presets of profiles` {
    /// A key that presets fill, other values for it in a file and in a variable, and whether it goes with every
    /// profile.
    struct Override: Sendable, CustomTestStringConvertible {
        let key: String
        let file: String
        let variable: String
        let value: JSONValue
        var testDescription: String { key }

        static let all = [
            Override(
                key: "issuer", file: "https://other.example/x", variable: "https://other.example/x",
                value: "https://other.example/x"),
            Override(
                key: "discoveryURL", file: "https://other.example/d", variable: "https://other.example/d",
                value: "https://other.example/d"),
            Override(key: "issuers", file: "[other.example]", variable: "other.example", value: ["other.example"]),
            Override(
                key: "idTokenVerificationURL", file: "https://other.example/v", variable: "https://other.example/v",
                value: "https://other.example/v"),
            Override(key: "algorithms", file: "[PS256]", variable: "PS256", value: ["PS256"]),
            Override(key: "scopes", file: "[openid, x]", variable: "openid,x", value: ["openid", "x"]),
            Override(key: "redirectURI", file: "omitted", variable: "omitted", value: "omitted"),
            Override(key: "responseMode", file: "form_post", variable: "form_post", value: "form_post"),
            Override(key: "userinfo", file: "required", variable: "required", value: "required"),
            Override(key: "authTime", file: "always", variable: "always", value: "always"),
            Override(key: "nativeTokens", file: "false", variable: "false", value: false),
        ]
    }

    @Test(arguments: Minimum.all)
    fileprivate func `a section with what only its operator knows holds`(minimum: Minimum) throws {
        let loaded = try minimum.load()
        // Of providers whom each operator calls otherwise, people read the host until somebody says more.
        let isNamed = !["auth0", "okta", "keycloak", "cognito"].contains(minimum.profile)
        #expect(loaded.faults.isEmpty, "\(loaded.faults)")
        #expect(loaded.notices.map(\.key) == (isNamed ? [] : ["provider.p.displayName"]))
        let section = try #require(loaded.settings?.listedProviders.sections.first)
        #expect(section.nativeTokens)
    }

    @Test(arguments: Minimum.all)
    fileprivate func `what is demanded and missing is told by its key`(minimum: Minimum) throws {
        for key in minimum.demanded {
            let faults = try minimum.load(without: key).faults
            #expect(faults.map(\.key) == ["provider.p.\(key)"], "\(key): \(faults)")
            #expect(faults.map(\.kind) == [.missing])
        }
    }

    @Test(arguments: Minimum.all, Override.all)
    fileprivate func `every key that is filled in can be written otherwise`(minimum: Minimum, override: Override) throws
    {
        // A template is written one way, and an issuer that is none has no tenants.
        let isConcrete = minimum.profile == "microsoft" && ["issuer", "issuers"].contains(override.key)
        let bare = Minimum(
            profile: minimum.profile,
            lines: minimum.lines.filter {
                !(override.key == "issuer" && $0.hasPrefix("issuer")) && !(isConcrete && $0.hasPrefix("tenants"))
            }, demanded: [])
        let others = isConcrete && override.key == "issuers" ? ["issuer: https://other.example/x"] : []
        // Without tokens of apps, codes need an address.
        let address = override.key == "nativeTokens" ? ["redirectURIs: ['app:/x']"] : []
        let written = try bare.load(with: others + address + ["\(override.key): \(override.file)"])
        let variable = EnvironmentNames.variable(["provider", "p", override.key])
        let varied = try bare.load(with: others + address, environment: [variable: override.variable])
        for loaded in [written, varied] {
            #expect(loaded.faults.isEmpty, "\(loaded.faults)")
            let value = loaded.effective.first { $0.key == "provider.p.\(override.key)" }?.value
            #expect(value == override.value)
        }
    }

    @Test(arguments: [
        ("google", "requirePKCE: true", "requirePKCE", true as JSONValue),
        ("apple", "requirePKCE: true", "requirePKCE", true), ("okta", "requirePKCE: false", "requirePKCE", false),
        ("google", "clientAuthentication: client_secret_post", "clientAuthentication", "client_secret_post"),
        ("auth0", "clientAuthentication: client_secret_jwt", "clientAuthentication", "client_secret_jwt"),
        ("microsoft", "revocationURL: https://other.example/r", "revocationURL", "https://other.example/r"),
    ])
    func `so can those that do not go with every profile`(
        profile: String, line: String, key: String, value: JSONValue
    ) throws {
        let minimum = try #require(Minimum.all.first { $0.profile == profile })
        let loaded = try minimum.load(with: [line])
        #expect(loaded.faults.isEmpty, "\(loaded.faults)")
        #expect(loaded.effective.first { $0.key == "provider.p.\(key)" }?.value == value)
    }

    @Test func `the events of another transmitter than Google's are taken where one is named`() throws {
        let minimum = try #require(Minimum.all.first { $0.profile == "google" })
        let other = "https://other.example/risc"
        let loaded = try minimum.load(with: ["events: risc", "eventConfigurationURL: \(other)"])
        #expect(loaded.settings?.listedProviders.sections.first?.eventConfigurationURL?.text == other)
    }

    @Test func `another issuer takes nothing that belongs to the usual one`() throws {
        for profile in ["google", "apple", "microsoft", "facebook", "line"] {
            let minimum = try #require(Minimum.all.first { $0.profile == profile })
            let loaded = try minimum.load(
                without: "tenants", with: ["issuer: https://login.microsoftonline.com/0f5e1d2c/v2.0"])
            let section = try #require(loaded.settings?.listedProviders.sections.first, "\(loaded.faults)")
            #expect(section.discoveryURL == nil && section.issuers.isEmpty)
            #expect(section.idTokenVerificationURL == nil && section.eventConfigurationURL == nil)
        }
    }

    @Test func `the issuer that is the usual one anyway changes nothing`() throws {
        let minimum = try #require(Minimum.all.first { $0.profile == "facebook" })
        let loaded = try minimum.load(with: ["issuer: https://www.facebook.com"])
        let section = try #require(loaded.settings?.listedProviders.sections.first)
        #expect(section.issuers == ["https://limited.facebook.com"] && section.discoveryURL != nil)
    }

    @Test(arguments: ["facebook", "line"])
    func `a secret that is given is used, and none is demanded`(profile: String) throws {
        let minimum = try #require(Minimum.all.first { $0.profile == profile })
        let without = try #require(try minimum.load().settings?.listedProviders.sections.first)
        #expect(without.clientAuthentication == .publicClient)
        let loaded = try minimum.load(with: ["clientSecret: s3cret"])
        #expect(loaded.faults.isEmpty)
        #expect(loaded.settings?.listedProviders.sections.first?.clientAuthentication == .post)
        let contrary = try minimum.load(with: ["clientSecret: s3cret", "clientAuthentication: none"])
        #expect(contrary.faults.map(\.key) == ["provider.p.clientSecret"])
    }

    @Test func `Facebook's events need the secret, and its section takes them with one`() throws {
        let minimum = try #require(Minimum.all.first { $0.profile == "facebook" })
        #expect(try minimum.load(with: ["events: facebook"]).faults.map(\.key) == ["provider.p.clientAuthentication"])
        #expect(try minimum.load(with: ["events: facebook", "clientSecret: s3cret"]).faults.isEmpty)
    }

    @Test func `Google's events need one line`() throws {
        let minimum = try #require(Minimum.all.first { $0.profile == "google" })
        #expect(try minimum.load(with: ["events: risc"]).faults.isEmpty)
    }
}
