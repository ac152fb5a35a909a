import Providers
import Testing

@testable import Settings

@Suite struct `The typ of logout tokens` {
    private func demands(_ line: String, writtenBefore: Bool) throws -> Bool? {
        var settings = try #require(load(line.isEmpty ? least : leastWith(line)).settings)
        try settings.makeWhatIsServed(writtenBefore: writtenBefore)
        #expect(settings.providers.count == 1)
        return settings.providers.first?.demandsLogoutType
    }

    @Test func `is demanded unless the section says otherwise, or was written before it could`() throws {
        #expect(try demands("", writtenBefore: false) == true)
        #expect(try demands("", writtenBefore: true) == false)
        for writtenBefore in [false, true] {
            #expect(try demands("logoutTyp: required", writtenBefore: writtenBefore) == true)
            #expect(try demands("logoutTyp: any", writtenBefore: writtenBefore) == false)
        }
        #expect(load(least).settings?.providers.first?.demandsLogoutType == true)
        #expect(load(leastWith("logoutTyp: some")).faults.map(\.key) == ["provider.zenkey.logoutTyp"])
    }

    @Test func `is told of where it means what it meant`() throws {
        func told(_ yaml: String) -> [String]? {
            load(yaml).settings?.noticesOfEarlierMeanings().map(\.key).filter { $0.hasPrefix("provider.") }
        }
        #expect(told(least) == ["provider.zenkey.logoutTyp"])
        #expect(told(leastWith("logoutTyp: any")) == [])
    }
}

@Suite struct `What a provider may tell of its users` {
    private func loaded(_ lines: String...) -> LoadedSettings {
        let usual = ["profile: openid", "issuer: https://a.example", "redirectURIs: ['app:/x']"]
        return load(leastWith((usual + lines).joined(separator: "\n    ")))
    }

    private func receiving(_ lines: String...) throws -> EventReceiving {
        let loaded = load(
            leastWith(
                (["profile: openid", "issuer: https://a.example", "redirectURIs: ['app:/x']"] + lines)
                    .joined(separator: "\n    ")))
        let settings = try #require(loaded.settings, "\(loaded.faults)")
        return try #require(settings.providers.first?.events)
    }

    private static let document = "eventConfigurationURL: https://accounts.google.com/.well-known/risc-configuration"

    @Test func `is nothing unless its section says how`() throws {
        #expect(try #require(loaded().settings?.providers.first).events == nil)
        let apple = try receiving("events: apple", "eventAudiences: [com.example.app]", "eventMaxAgeDays: 2")
        #expect(apple == EventReceiving(.apple, audiences: ["com.example.app"], maximumAgeSeconds: 2 * 86_400))
        let risc = try receiving("events: risc", Self.document)
        #expect(risc.dialect == .risc && risc.maximumAgeSeconds == 7 * 86_400)
        #expect(try receiving("events: facebook").sender == .facebook)
    }

    @Test func `takes a dialect that is known, and an age of days`() {
        #expect(loaded("events: google").faults.map(\.key) == ["provider.zenkey.events"])
        for days in ["0", "31", "-1"] {
            #expect(
                loaded("events: apple", "eventMaxAgeDays: \(days)").faults.map(\.key)
                    == ["provider.zenkey.eventMaxAgeDays"])
        }
    }

    @Test(arguments: [
        (["eventAudiences: [a]"], "eventAudiences"), (["eventMaxAgeDays: 3"], "eventMaxAgeDays"),
        ([document], "eventConfigurationURL"), (["events: apple", document], "eventConfigurationURL"),
        (["events: facebook", document], "eventConfigurationURL"),
        (["events: facebook", "eventAudiences: [a]"], "eventAudiences"),
    ])
    func `has no key without effect`(lines: [String], key: String) {
        let usual = ["profile: openid", "issuer: https://a.example", "redirectURIs: ['app:/x']"]
        let faults = load(leastWith((usual + lines).joined(separator: "\n    "))).faults
        #expect(faults.map(\.key) == ["provider.zenkey.\(key)"])
        #expect(faults.map(\.kind) == [.notAvailable])
    }

    @Test func `needs the document of the transmitter for RISC, over https`() {
        #expect(loaded("events: risc").faults.map(\.key) == ["provider.zenkey.eventConfigurationURL"])
        for address in ["http://a.example/risc", "http://127.0.0.1/risc"] {
            let faults = loaded("events: risc", "eventConfigurationURL: \(address)").faults
            #expect(faults.map(\.key) == ["provider.zenkey.eventConfigurationURL"])
        }
        let local = loaded("events: risc", "eventConfigurationURL: http://127.0.0.1/risc", "allowLoopbackHTTP: true")
        #expect(local.faults.isEmpty)
    }

    @Test func `needs a secret for Facebook, which signs with it`() {
        let yaml = """
            provider:
              zenkey:
                profile: openid
                issuer: https://a.example
                redirectURIs: ['app:/x']
                clientID: a
                clientAuthentication: private_key_jwt
                events: facebook

            """
        #expect(load(yaml).faults.map(\.key) == ["provider.zenkey.clientAuthentication"])
    }

    @Test func `is not for carriers, of whom there is more than one behind a section`() {
        #expect(load(leastWith("events: apple")).faults.map(\.key) == ["provider.zenkey.events"])
    }
}
