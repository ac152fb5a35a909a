import Apps
import Crypto
import Testing

@testable import Settings

@Suite struct `How an app is answered` {
    private static let key = "0123456789abcdef"

    @Test func `is flat unless its key or its section says otherwise`() throws {
        let yaml =
            least + """
                apiKeys:
                  - plain-key-0123456789
                  - {key: \(Self.key), responses: zenkey-android}
                  - {responses: flat, key: another-0123456789}

                """
        let settings = try #require(load(yaml).settings)
        #expect(settings.apiKeys.map(\.key.revealedText) == ["plain-key-0123456789", Self.key, "another-0123456789"])
        #expect(settings.apiKeys.map(\.responses) == [.flat, .zenkeyAndroid, .flat])
        #expect(load(leastWithApp).settings?.apps.first?.responses == .flat)
        #expect(load(appWith("responses: zenkey-android")).settings?.apps.first?.responses == .zenkeyAndroid)
        #expect(load(appWith("responses: nested")).faults.map(\.key) == ["app.acme.responses"])
    }

    @Test func `is written so in a variable and in a file too`() throws {
        let text = "key=\(Self.key) responses=zenkey-android"
        let variable = try #require(
            load(least, environment: ["GATEHOUSE_API_KEYS": "first-0123456789,\(text)"]).settings)
        let file = try #require(
            load(least + "apiKeysFile: keys\n", files: ["keys": "first-0123456789\n\(text)\n"]).settings)
        for settings in [variable, file] {
            #expect(settings.apiKeys.map(\.key.revealedText) == ["first-0123456789", Self.key])
            #expect(settings.apiKeys.map(\.responses) == [.flat, .zenkeyAndroid])
        }
    }

    @Test(arguments: [
        "{key: \(key), responses: nested}", "{key: '', responses: flat}", "{responses: flat, key: \"a\\x01\"}",
    ])
    func `is nothing else, and a fault shows no key`(entry: String) {
        let loaded = load(least + "apiKeys: [\(entry)]\n")
        #expect(loaded.faults.map(\.key) == ["apiKeys"])
        #expect(!"\(loaded.faults)".contains(Self.key))
    }
}
