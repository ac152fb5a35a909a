import Accounts
import Foundation
import GatehouseTesting
import Glibc
import JSON
import Providers
import Settings
import System
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A user of another product's export` {
    private static let now: Int64 = 1_790_000_000
    private static let tenant = "0f5e1d2c-3b4a-4968-8776-a5b4c3d2e1f0"

    private static func section(_ name: String, _ more: String) -> String {
        "  \(name): {profile: \(name.prefix { $0 != "2" }), clientID: c, clientSecret: s, redirectURIs: ['app:/x']\(more)}\n"
    }

    private func map(
        _ words: [String] = [], _ format: ImportFormat = .firebase, sections: [(String, String)]
    ) throws -> ProviderMap {
        let yaml =
            "providers: [\(sections.map(\.0).joined(separator: ", "))]\nprovider:\n"
            + sections.map(Self.section).joined()
        guard case .valid(let settings, _, _) = Settings.load(yaml: yaml) else { throw CancellationError() }
        return try ProviderMap(
            words, format: format, providers: settings.providers.map { Provider($0) }, now: Self.now)
    }

    private func user(
        _ text: String, _ map: ProviderMap, _ format: ImportFormat = .firebase
    ) throws -> (user: ImportedUser?, leftOut: ImportSummary.LeftOut) {
        var leftOut = ImportSummary.LeftOut()
        let exported = try ExportedUser(JSONValue(parsing: Array(text.utf8)), of: format)
        return (try map.user(exported, reference: "reference", leftOut: &leftOut), leftOut)
    }

    @Test func `is known by the issuer of Google, Apple and Facebook without a mapping`() throws {
        let map = try map(sections: [("google", ""), ("facebook", "")])
        let found = try user(
            #"{"providerUserInfo":[{"providerId":"google.com","rawId":"g"},{"providerId":"facebook.com","rawId":"f"}]}"#,
            map)
        #expect(
            found.user?.identities.map(\.subject) == [
                Subject(issuer: "https://accounts.google.com", value: "g"),
                Subject(issuer: "https://www.facebook.com", value: "f"),
            ])
        #expect(found.user?.createdAt == Self.now)
        #expect(!found.leftOut.needsConsent)
    }

    @Test func `is not taken for one of two providers with the same issuer`() throws {
        let sections = [("google", ""), ("google2", "")]
        let record = #"{"providerUserInfo":[{"providerId":"google.com","rawId":"g"}]}"#
        let found = try user(record, map(sections: sections))
        #expect(found.user == nil && found.leftOut.users == 1 && found.leftOut.unmapped == ["google.com": 1])
        let named = try user(record, map(["google.com=google2"], sections: sections))
        #expect(named.user?.identities.map(\.provider) == ["google2"])
    }

    @Test func `is one of Microsoft's only by a mapping, and where one tenant is let in`() throws {
        let record = #"{"user_id":"a","provider":"azure","provider_id":"m"}"#
        let one = [("microsoft", ", tenants: [\(Self.tenant)]")]
        #expect(try user(record, map([], .supabase, sections: one), .supabase).user == nil)
        let found = try user(record, map(["azure=microsoft"], .supabase, sections: one), .supabase)
        #expect(
            found.user?.identities.first?.subject.issuer == "https://login.microsoftonline.com/\(Self.tenant)/v2.0")
        #expect(throws: ProviderMap.Fault.manyIssuers("microsoft")) {
            try map(["azure=microsoft"], .supabase, sections: [("microsoft", ", tenants: ['*']")])
        }
    }

    @Test func `has the words of one provider, none of the product's, and nothing that is verified`() throws {
        let map = try map([], .auth0, sections: [("google", ""), ("facebook", "")])
        let found = try user(
            """
            {"user_id":"google-oauth2|7","email":"a@example.com","email_verified":true,"name":"Ada","phone_number":"+1",
             "phone_verified":true,"username":"x","created_at":"2023-11-14T22:13:20.123Z","blocked":true,
             "identities":[{"provider":"google-oauth2","user_id":"7"},
               {"provider":"facebook","user_id":8,"profileData":{"email":"b@example.com","email_verified":true}}]}
            """, map, .auth0)
        #expect(found.user?.profile.carrier == ["email": "a@example.com", "name": "Ada", "phone_number": "+1"])
        #expect(found.user?.identities.map(\.subject.value) == ["7", "8"])
        #expect(found.user?.createdAt == 1_700_000_000)
        #expect(found.leftOut.locked == 1 && found.user?.lock?.cause == .imported)
        var expected = Profile(carrier: ["email": "a@example.com", "name": "Ada", "phone_number": "+1"])
        expected.attribute(to: "google")
        #expect(found.user?.profile == expected)
        let own = try user(
            #"{"email":"a@example.com","phoneNumber":"+1","displayName":"Ada","disabled":true,"providerUserInfo":[]}"#,
            self.map(sections: [("google", "")]))
        #expect(own.user == nil && own.leftOut.users == 1 && own.leftOut.locked == 0)
    }

    @Test func `tells of providers by short words, and of no more than a few`() {
        var leftOut = ImportSummary.LeftOut()
        for number in 0..<100 { leftOut.addUnmapped("p\(number)") }
        leftOut.addUnmapped("two words")
        leftOut.addUnmapped(String(repeating: "x", count: 65))
        #expect(leftOut.unmapped.count == 33 && leftOut.unmapped["others"] == 70)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2023-11-14T22:13:20.000Z", 1_700_000_000),
            ("2023-11-14 22:13:20.5+00", 1_700_000_000), ("2023-11-15T00:13:20+02:00", 1_700_000_000),
            ("2023-11-14T17:13:20-0500", 1_700_000_000), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2000-03-01T00:00:00Z", 951_868_800), ("2100-03-01T00:00:00z", 4_107_542_400),
            ("2023-02-29T00:00:00Z", nil), ("2100-02-29T00:00:00Z", nil), ("2023-11-14T22:13:20", nil),
            ("2023-11-14T24:13:20Z", nil), ("2023-11-14T22:13:20.Z", nil), ("2023-13-14T22:13:20Z", nil),
            ("2023-11-14T22:13:20Zx", nil), ("2023-11-14", nil), ("", nil), ("٢٠٢٣-11-14T22:13:20Z", nil),
        ] as [(String, Int64?)])
    func `was registered at a time as databases write it`(text: String, seconds: Int64?) {
        #expect(ExportTime.seconds(text) == seconds)
    }

    private func elements(_ text: String, member: String?) throws -> [JSONElementReader.Element] {
        let path = FileManager.default.temporaryDirectory.appending(path: "elements-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var reader = JSONElementReader(try File(path, O_RDONLY), member: member, maximumBytes: 100_000)
        var elements: [JSONElementReader.Element] = []
        while let element = try reader.next() { elements.append(element) }
        return elements
    }

    @Test func `lies in an array that is read element by element, whatever stands in texts and beside it`() throws {
        func text(_ text: String) -> JSONElementReader.Element { .text(Array(text.utf8)) }
        let odd = #"{"a":"]}\\\"[,","b":[1,{"users":[2]}]}"#
        #expect(
            try elements(
                #"{"x":"users","y":{"users":[0]},"z":[["users"]],"users" : [\#(odd), 7 ] ,"w":[1]}"#, member: "users")
                == [text(odd), text("7 ")])
        // Longer than a chunk, so that it comes in pieces.
        let long = "\"" + String(repeating: "[", count: 90_000) + "\""
        #expect(try elements("\n[\(long),\(long)]\n", member: nil) == [text(long), text(long)])
        let tooLong = "\"" + String(repeating: "x", count: 100_000) + "\""
        #expect(try elements("[\(tooLong),1]", member: nil) == [.tooLong, text("1")])
        #expect(try elements(#"{"users":[]}"#, member: "users") == [])
    }

    @Test(arguments: ["", "{", "[1]", "{}", #"{"users":[1"#, #"{"users":[]"#, #"{"users":[]}x"#, #"{"users":{}}"#, "7"])
    func `lies in no file that is another document, or ends too early`(text: String) throws {
        #expect(try elements(text, member: "users").last == .broken)
    }
}
