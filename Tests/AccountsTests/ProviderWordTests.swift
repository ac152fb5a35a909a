import Testing

@testable import Accounts

private func word(
    _ attributes: Attributes, by provider: String = "a", at time: Int64, _ levels: [String: Int] = [:]
) -> ProviderStatement {
    var attributes = attributes
    for (name, level) in levels.sorted(by: { $0.key < $1.key }) { attributes.assure(name, .level(level)) }
    return ProviderStatement(provider: provider, subject: "s", attributes: attributes, at: time)
}

@Suite struct `Whose word an attribute is` {
    private let jane: Attributes = ["name": "Jane", "email": "j@example.com", "email_verified": "true"]

    private func given(_ name: String, of profile: Profile) throws -> GivenAttribute {
        try #require(profile.given.first { $0.name == name })
    }

    @Test func `tells provider, level and since when the provider says so`() throws {
        var profile = Profile(word(jane, at: 10, ["name": 2]))
        let changed = profile.merge(word(jane, at: 20, ["name": 2]))
        #expect(!changed)
        let name = try given("name", of: profile)
        #expect(name.value == .text("Jane") && name.provider == "a" && name.since == 10)
        #expect(name.assurance == .level(2))
        #expect(try given("email", of: profile).assurance == .said(isVerified: true))
        #expect(profile.given.map(\.name) == ["name", "email"])
    }

    @Test func `begins anew with another value, and with another level, of that attribute alone`() throws {
        var profile = Profile(word(jane, at: 10, ["name": 2]))
        let other = profile.merge(word(["name": "Janet", "email": "j@example.com", "email_verified": "true"], at: 20))
        #expect(other)
        #expect(try given("name", of: profile).since == 20)
        #expect(try given("name", of: profile).assurance == nil)
        #expect(try given("email", of: profile).since == 10)
        let lower = profile.merge(
            word(["name": "Janet", "email": "j@example.com", "email_verified": "true"], at: 30, ["name": 0]))
        #expect(lower)
        #expect(try given("name", of: profile).since == 30)
        #expect(try given("name", of: profile).assurance == .level(0))
    }

    @Test func `changes nothing where apps ask for more and less, or providers say the same, by turns`() throws {
        var profile = Profile(word(jane, at: 10, ["name": 2]))
        profile.merge(word(["name": "Jane"], by: "b", at: 20))
        profile.merge(word(["email": "j@example.com", "email_verified": "true"], at: 30))
        let settled = profile
        for time: Int64 in 40..<44 {
            let changes = [
                profile.merge(word(jane, at: time, ["name": 2])),
                profile.merge(word(["email": "j@example.com", "email_verified": "true"], at: time)),
                profile.merge(word(["name": "Jane"], by: "b", at: time)),
            ]
            #expect(changes == [false, false, false])
        }
        #expect(profile == settled)
        // The word of the one that knows it better.
        #expect(try given("name", of: profile).provider == "a")
    }

    @Test func `is never the word about a value that came otherwise`() throws {
        var profile = Profile(word(["postal_code": "90210"], at: 10, ["postal_code": 3]))
        // As an earlier version leaves it, which knows nothing of words.
        profile.carrier["postal_code"] = "10001"
        let code = try given("postal_code", of: profile)
        #expect(code.provider == nil && code.since == nil && code.assurance == nil)
        profile.own["postal_code"] = "90210"
        #expect(try given("postal_code", of: profile).value == .text("10001"))
    }

    @Test func `is never the word of a provider about what another gave, and goes with the provider`() throws {
        var profile = Profile(word(["email": "a@example.com", "name": "Jane"], at: 10, ["email": 3, "name": 3]))
        profile.merge(word(["email": "b@example.com"], by: "b", at: 20))
        #expect(try given("email", of: profile).provider == "b")
        #expect(try given("email", of: profile).assurance == nil)
        profile.forget(provider: "b")
        #expect(try given("email", of: profile).provider == "a")
        #expect(try given("email", of: profile).assurance == .level(3))
        profile.forget(provider: "a")
        #expect(profile.given.map(\.name) == ["name"])
        #expect(try given("name", of: profile).assurance == nil)
    }

    @Test func `comes back from the store, with an address of parts and levels of every kind`() throws {
        var attributes: Attributes = ["name": "Jane", "birthdate": "1985-12-10"]
        attributes.setObject("address", json: #"{"country":"US"}"#)
        attributes.assure("address", .said(isVerified: false))
        var profile = Profile(word(attributes, at: 1_790_000_000, ["name": 0]))
        profile.merge(word(["email": "b@example.com", "email_verified": "true"], by: "b", at: 2))
        let read = try Profile(encoded: profile.encoded)
        #expect(read == profile)
        #expect(try given("address", of: read).assurance == .said(isVerified: false))
        #expect(try given("address", of: read).value == .json(#"{"country":"US"}"#))
        #expect(try given("name", of: read).since == 1_790_000_000)
        #expect(read.claimsByProvider.isEmpty)
        #expect(profile.words.allSatisfy { $0.text.hasPrefix("\"") && $0.text.hasSuffix("\"") })
        for text in ["Jane", "1985", "example.com"] { #expect(profile.words.allSatisfy { !$0.text.contains(text) }) }
    }

    @Test func `is kept of no more providers than a profile should carry`() {
        var profile = Profile()
        for number in 0..<40 { profile.merge(word(["name": "Jane"], by: "p\(number)", at: 1)) }
        #expect(profile.words.count == Profile.maximumProviders)
    }
}
