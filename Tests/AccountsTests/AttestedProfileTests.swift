import Testing

@testable import Accounts

@Suite struct `What is told of a user as attested` {
    private let jane: Attributes = [
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "jane@example.com",
        "email_verified": "true", "birthdate": "1990-02-28", "postal_code": "90210",
    ]

    @Test(arguments: [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "picture", "gender",
        "birthdate", "zoneinfo", "locale", "email", "phone_number", "postal_code", "last_4_social", "isAdult18",
    ])
    func `is the provider's word wherever there is one, for every attribute`(name: String) {
        let profile = Profile(carrier: [name: "proven"], own: [name: "claimed"])
        #expect(profile.attested[name] == "proven")
        #expect(profile.saidByUserAlone[name] == "claimed")
    }

    @Test func `is the user's word where no provider gave any`() {
        let profile = Profile(carrier: ["email": "jane@example.com"], own: ["nickname": "J", "name": "Jane"])
        #expect(profile.attested == ["email": "jane@example.com", "nickname": "J", "name": "Jane"])
        #expect(Profile(carrier: jane).attested == jane)
    }

    @Test func `has no name that is half the user's`() {
        let profile = Profile(carrier: ["name": "Jane Doe"], own: ["given_name": "Eve", "middle_name": "X"])
        #expect(profile.attested == ["name": "Jane Doe"])
    }

    @Test func `has the provider's address though the user has a text of that name`() {
        var carrier = Attributes()
        carrier.setObject("address", json: #"{"country":"US"}"#)
        let profile = Profile(carrier: carrier, own: ["address": "Elsewhere"])
        #expect(profile.attested == carrier)
        #expect(profile.shown == carrier)
    }

    @Test func `is never verified by the user`() {
        let profile = Profile(own: ["email": "jane@example.com", "email_verified": "true"])
        #expect(profile.attested == ["email": "jane@example.com"])
    }

    @Test(arguments: ["birthdate", "gender", "last_4_social", "isAdult18", "proofing", "email"])
    func `is shown to the user likewise where it proves something, and marked otherwise`(name: String) {
        let profile = Profile(carrier: [name: "proven"], own: [name: "claimed"])
        #expect(profile.shown[name] == "proven")
        #expect(profile.saidByUserAlone[name] == "claimed")
    }

    @Test func `is verified when a provider whose word counts says so of this very value`() {
        func profile(_ others: (provider: String, email: String, isVerified: Bool)...) -> Profile {
            var profile = Profile()
            for (provider, email, isVerified) in others {
                var attributes: Attributes = ["email": email]
                if isVerified { attributes["email_verified"] = "true" }
                profile.merge(ProviderStatement(provider: provider, subject: "s", attributes: attributes, at: 1))
            }
            return profile
        }
        func isVerified(_ profile: Profile) -> Bool { profile.isVerified(.email) { provider, _ in provider == "good" } }
        #expect(isVerified(profile(("good", "a@x", true))))
        #expect(!isVerified(profile(("good", "a@x", false))))
        #expect(!isVerified(profile(("weak", "a@x", true))))
        #expect(isVerified(profile(("weak", "a@x", true), ("good", "a@x", true))))
        #expect(isVerified(profile(("good", "a@x", true), ("weak", "a@x", true))))
        #expect(!isVerified(profile(("good", "a@x", true), ("weak", "b@x", true))))
        #expect(!isVerified(profile(("good", "b@x", false), ("weak", "a@x", true))))
        #expect(!isVerified(Profile(carrier: ["email": "a@x", "email_verified": "true"])))
    }

    @Test func `tells the domain that keeps an address with that address only`() {
        func said(_ provider: String, _ attributes: Attributes) -> ProviderStatement {
            ProviderStatement(provider: provider, subject: "s", attributes: attributes, at: 1)
        }
        let google = said("google", ["email": "jane@acme.example", "email_verified": "true", "hd": "acme.example"])
        var profile = Profile(google)
        #expect(profile.hostedDomain == "acme.example")
        // Another says the same: that takes nothing away.
        profile.merge(said("other", ["email": "jane@acme.example", "email_verified": "true"]))
        #expect(profile.hostedDomain == "acme.example")
        // Another address is not kept there.
        profile.merge(said("other", ["email": "eve@evil.example", "email_verified": "true"]))
        #expect(profile.hostedDomain == nil)
        // The account has left the organization.
        profile = Profile(google)
        profile.merge(said("google", ["email": "jane@acme.example", "email_verified": "true"]))
        #expect(profile.hostedDomain == nil)
        profile = Profile(google)
        profile.forget(provider: "google")
        #expect(profile.hostedDomain == nil && profile.carrier.isEmpty)
    }
}
