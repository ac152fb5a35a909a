import Testing

@testable import Settings
@testable import Wings

@Suite struct `Keys for TIM's clients` {
    private func loaded(_ lines: String..., more: String = "") -> LoadedSettings {
        load(least + "keyService: {\(lines.joined(separator: ", "))}\n" + more)
    }

    @Test func `are off unless they are on`() throws {
        #expect(try #require(load(least).settings).wing(KeyServiceSettings.self).enabled == false)
        let keys = try #require(loaded("enabled: true").settings).wing(KeyServiceSettings.self)
        #expect(keys.enabled && keys.basePath == "/keyservice/v1" && keys.scryptCost == 15)
        #expect(keys.hashesAtOnce == nil && keys.waiting == 256 && keys.unusedDays == 400)
        #expect(
            try #require(loaded("enabled: true", "unusedDays: 0").settings).wing(KeyServiceSettings.self).unusedDays
                == nil)
    }

    @Test(arguments: [
        "basePath: /tim", "scryptCost: 16", "hashesAtOnce: 2", "waiting: 5", "unusedDays: 3",
    ])
    func `have no settings without effect`(line: String) {
        let faults = loaded(line).faults
        #expect(faults.map(\.key) == ["keyService.\(line.prefix { $0 != ":" })"])
        #expect(faults.map(\.kind) == [.notAvailable])
        #expect(loaded("enabled: true", line).faults.isEmpty)
    }

    @Test(arguments: [
        "scryptCost: 13", "scryptCost: 21", "hashesAtOnce: -1", "waiting: -1", "unusedDays: -1",
    ])
    func `have bounds`(line: String) {
        #expect(loaded("enabled: true", line).faults.map(\.key) == ["keyService.\(line.prefix { $0 != ":" })"])
    }

    @Test(arguments: [
        "", "/", "tim", "/tim/", "//tim", "/a//b", "/a/./b", "/a/../b", "/a b", "/a%2fb", "/a?b", "/a#b", "/{a}",
        "/å",
        "https://a.example/tim",
    ])
    func `are at an absolute path that everybody spells alike`(path: String) {
        #expect(loaded("enabled: true", "basePath: '\(path)'").faults.map(\.key) == ["keyService.basePath"])
    }

    @Test(arguments: [
        "/auth", "/auth/zenkey-async-signin", "/users/me/sessions", "/healthz", "/docs", "/.well-known",
        "/openapi.json",
    ])
    func `are at no path that is this service's own`(path: String) {
        let faults = loaded("enabled: true", "basePath: \(path)").faults
        #expect(faults.map(\.key) == ["keyService.basePath"] && faults.map(\.kind) == [.conflict])
    }

    @Test(arguments: ["/auth/realms/acme/keyservice/v1", "/realms/acme/keyservice/v1", "/tim", "/keyservice/v2"])
    func `are where TIM's clients look for them`(path: String) throws {
        #expect(
            try #require(loaded("enabled: true", "basePath: \(path)").settings).wing(KeyServiceSettings.self).basePath
                == path)
    }

    @Test(arguments: [
        ("/tim/keyservice/v1", "/tim/keyservice/v1/key", true), ("/tim/keyservice/v1", "/tim/keyservice/v1", true),
        ("/tim/keyservice/v1", "//tim/keyservice/v1/x/y", true),
        ("/tim/keyservice/v1", "/t%69m/keyservice/v1/key", true),
        ("/tim/keyservice/v1", "/tim/.well-known/openid-configuration", true), ("/tim/keyservice/v1", "/tim/cb", false),
        ("/tim", "/tim/cb", true), ("/tim", "/timer/cb", false), ("/tim", "/keyservice/v1", true),
    ])
    func `are where no app is reached`(base: String, path: String, isTaken: Bool) {
        let apps = """
            session: {issuer: 'https://signin.example'}
            apps: [acme]
            app:
              acme: {clientID: acme, redirectURIs: ['https://signin.example\(path)']}

            """
        let faults = loaded("enabled: true", "basePath: \(base)", more: apps).faults
        #expect(faults.map(\.key) == (isTaken ? ["app.acme.redirectURIs"] : []), "\(faults)")
    }
}
