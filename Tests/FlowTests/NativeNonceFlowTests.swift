import GatehouseTesting
import HTTPTesting
import JSON
import Providers
import SimulatedCarriers
import Testing

@Suite struct `The nonce of an ID token that an app posts` {
    @Test(arguments: [NonceForm.hexadecimalSHA256, .base64URLSHA256, .raw])
    func `is compared in the form that is configured, and in no other`(form: NonceForm) async throws {
        try await NativeFlow.with([.google], ["nativeNonce: \(form.rawValue)"]) { flow in
            let right = try await flow.ask(.google, form: form)
            let claim = try #require(form.claim(of: right.preimage))
            try await flow.post(right, to: "google", ["nonce": "another"])
                .expectRefused(401, "invalid_id_token", "nonce")
            try await flow.post(right, to: "google", ["nonce": nil]).expectRefused(400, "invalid_request")
            if form != .raw {
                // A thief of the token sees what stands in it, and not what the app has drawn.
                try await flow.post(right, to: "google", ["nonce": .string(claim)])
                    .expectRefused(401, "invalid_id_token", "nonce", "the claim itself")
            }
            for other in [NonceForm.hexadecimalSHA256, .base64URLSHA256, .raw] where other != form {
                try await flow.post(flow.ask(.google, form: other), to: "google")
                    .expectRefused(401, "invalid_id_token", "nonce", "\(other)")
            }
            try await flow.post(flow.ask(.google, changing: ["nonce": nil]), to: "google")
                .expectRefused(401, "invalid_id_token", "nonce", "none in the token")
            #expect(try await flow.users() == 0)
            // None of that has used the token up.
            #expect(try await flow.post(right, to: "google").status == 200)
        }
    }

    @Test func `in upper case is not the same hash`() async throws {
        try await NativeFlow.with([.okta]) { flow in
            let preimage = Authorized.makeVerifier()
            let hash = try #require(NonceForm.hexadecimalSHA256.claim(of: preimage)).uppercased()
            try await flow.post(flow.ask(.okta, preimage: preimage, changing: ["nonce": hash]), to: "okta")
                .expectRefused(401, "invalid_id_token", "nonce")
        }
    }

    @Test func `is not taken where none could be compared`() async throws {
        try await NativeFlow.with([.google], ["nativeNonce: none"]) { flow in
            let handed = try await flow.ask(.google, changing: ["nonce": nil, "old_sdk": "true"])
            try await flow.post(handed, to: "google").expectRefused(400, "invalid_request")
            #expect(try await flow.post(handed, to: "google", ["nonce": nil]).status == 200)
            try await flow.post(handed, to: "google", ["nonce": nil]).expectRefused(401, "invalid_grant")
        }
    }

    @Test func `is left out for one client's old SDK, and for no other's tokens`() async throws {
        let (new, old) = ("gatehouse-google-ios", "gatehouse-google-android")
        let audiences = "audiences: [\(new), {clientID: \(old), nativeNonce: none}]"
        try await NativeFlow.with([.google], [audiences]) { flow in
            let free = try await flow.ask(.google, changing: ["client_id": old, "nonce": nil, "old_sdk": "true"])
            #expect(try await flow.post(free, to: "google", ["nonce": nil]).status == 200)
            // A token of the new app does not become one of the old app's by leaving the nonce out.
            let bound = try await flow.ask(.google, changing: ["client_id": new])
            try await flow.post(bound, to: "google", ["nonce": nil])
                .expectRefused(401, "invalid_id_token", "nonce", "left out")
            try await flow.post(bound, to: "google", ["nonce": nil, "client_id": .string(old)])
                .expectRefused(400, "unknown_client", nil, "left out, under another name")
            #expect(try await flow.post(bound, to: "google").status == 200)
        }
    }

    @Test func `is a challenge of the server's where that is demanded, once`() async throws {
        try await NativeFlow.with([.apple], ["requireChallenge: true"]) { flow in
            try await flow.post(flow.ask(.apple), to: "apple").expectRefused(401, "invalid_challenge")
            let challenge = try #require(try await flow.gatehouse.post("/auth/challenge", [:])["nonce"]?.string)
            let first = try await flow.ask(.apple, preimage: challenge)
            let second = try await flow.ask(.apple, preimage: challenge)
            #expect(try await flow.post(first, to: "apple").status == 200)
            try await flow.post(second, to: "apple").expectRefused(401, "invalid_challenge")
            #expect(try await flow.users() == 1)
        }
    }

    @Test func `that was a challenge is still good after a token that broke a rule`() async throws {
        try await NativeFlow.with([.apple], ["requireChallenge: true"]) { flow in
            let challenge = try #require(try await flow.gatehouse.post("/auth/challenge", [:])["nonce"]?.string)
            let foreign = try await flow.ask(
                .apple, preimage: challenge, changing: ["misbehave": "id_token_of_another_app"])
            try await flow.post(foreign, to: "apple").expectRefused(401, "invalid_id_token", "audience")
            let right = try await flow.ask(.apple, preimage: challenge)
            #expect(try await flow.post(right, to: "apple").status == 200)
        }
    }
}
