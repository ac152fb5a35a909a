import Testing

@testable import Accounts

func said(_ attributes: Attributes, by provider: String, _ claims: TypedClaims = [:]) -> ProviderStatement {
    ProviderStatement(provider: provider, subject: "subject", attributes: attributes, claims: claims, at: 1)
}

@Suite struct `What several providers say of one user` {
    let verified: Attributes = ["email": "a@example.com", "email_verified": "true"]

    @Test func `what several providers say of one user is told apart, each value with its provider`() {
        var profile = Profile(said(verified, by: "a"), own: ["email": "own@example.com"])
        profile.merge(said(["email": "b@example.com"], by: "b"))
        #expect(profile.shown.email == "b@example.com")
        #expect(!profile.isVerified(.email))
        #expect(
            profile.contacts == [
                GivenContact(.email, "b@example.com", by: .provider("b", isVerified: false)),
                GivenContact(.email, "a@example.com", by: .provider("a", isVerified: true)),
                GivenContact(.email, "own@example.com", by: .user),
            ])
        profile.merge(said(verified, by: "a"))
        #expect(profile.shown.email == "a@example.com")
        #expect(profile.isVerified(.email))
        #expect(profile.contacts.count == 3)
    }

    @Test func `changes nothing when they say the same by turns`() {
        var profile = Profile(said(verified, by: "a"))
        profile.merge(said(verified, by: "b"))
        let settled = profile
        #expect(settled.contacts.map(\.giver) == [.provider("a", isVerified: true), .provider("b", isVerified: true)])
        for provider in ["a", "b", "a"] {
            profile.merge(said(verified, by: provider))
            #expect(profile == settled)
        }
    }

    @Test func `goes with the provider, and what another one gave shows again`() {
        var profile = Profile(said(verified, by: "a", ["roles": "1"]), own: ["email": "own@example.com"])
        profile.merge(said(["email": "b@example.com", "phone_number": "+1"], by: "b", ["roles": "2"]))
        profile.forget(provider: "b")
        #expect(profile == Profile(said(verified, by: "a", ["roles": "1"]), own: ["email": "own@example.com"]))
        profile.forget(provider: "a")
        #expect(profile.shown.email == "own@example.com")
        #expect(!profile.isVerified(.email))
        #expect(profile.contacts == [GivenContact(.email, "own@example.com", by: .user)])
        #expect(profile.claimsByProvider.isEmpty)
    }

    @Test func `what several providers say of one user is nobody's in particular until a sign-in tells whose it is`() {
        var profile = Profile(carrier: verified)
        #expect(profile.contacts.map(\.giver) == [.provider(nil, isVerified: true)])
        profile.merge(said(verified, by: "a"))
        #expect(profile.contacts.map(\.giver) == [.provider("a", isVerified: true)])
        profile.attribute(to: "b")
        #expect(profile.contacts.map(\.giver) == [.provider("a", isVerified: true)])
    }

    @Test
    func `what several providers say of one user has further claims as the last sign-in at that provider had them`() {
        var profile = Profile(said([:], by: "a", ["roles": "[1]", "level": "2"]))
        profile.merge(said([:], by: "b", ["roles": "[3]"]))
        #expect(profile.claims(of: "a") == ["roles": "[1]", "level": "2"])
        #expect(profile.claims(of: "b") == ["roles": "[3]"])
        profile.merge(said([:], by: "a", ["level": "2"]))
        #expect(profile.claims(of: "a") == ["level": "2"])
        profile.merge(said([:], by: "a"))
        #expect(profile.claims(of: "a").isEmpty)
        #expect(profile.claims(of: "c").isEmpty)
    }

    @Test func `what several providers say of one user is bounded in the number of providers`() {
        var profile = Profile()
        for number in 0...2 * Profile.maximumProviders {
            profile.merge(said(["email": "\(number)@example.com"], by: "p\(number)", ["x": "1"]))
        }
        #expect(profile.others.count == Profile.maximumProviders)
        #expect(profile.claimsByProvider.count == Profile.maximumProviders)
        #expect(profile.shown.email == "\(2 * Profile.maximumProviders)@example.com")
    }

    @Test func `what several providers say of one user stays when another of them calls the user by it`() {
        var profile = Profile()
        profile.merge(said(["preferred_username": "subject", "email": "subject", "nickname": "J"], by: "b"))
        profile.merge(said([:], by: "a"))
        #expect(profile.carrier == ["preferred_username": "subject", "email": "subject", "nickname": "J"])
    }
}
