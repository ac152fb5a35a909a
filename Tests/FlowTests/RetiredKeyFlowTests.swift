import HTTPTesting
import JSON
import Patience
import Testing

@Suite struct `A signing key that has leaked` {
    @Test
    func
        `a signing key that has leaked is retired by a command, and five seconds later its tokens are refused everywhere`()
        async throws
    {
        try await OperatedServer.with { service in
            let stolen = try #require(try await service.signIn("ada")["token"]?.string)
            let listed = try await service.run("keys", "list", "--json")
            let leaked = try #require(
                listed.json["signing_keys"]?.array?.first { $0["purpose"] == "session" }?["kid"]?.string)
            #expect(try await service.publishedKeys().contains(leaked))

            let early = try await service.run("keys", "retire", leaked)
            #expect(early.status == 1)
            #expect(early.errors.contains("let another one sign first"), "\(early.errors)")
            #expect(try await service.status(bearer: stolen) == 200)

            #expect(try await service.run("keys", "rotate", "--now", "--json").status == 0)
            let retired = try await service.run("keys", "retire", leaked, "--json")
            #expect(retired.status == 0, "\(retired.errors)")
            #expect(retired.json["state"] == "retired")
            let since = ContinuousClock.now
            while try await service.publishedKeys().contains(leaked), ContinuousClock.now - since < .seconds(30) {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(ContinuousClock.now - since < .seconds(5))
            #expect(try await service.status(bearer: stolen) == 401)
            // The others go on, and so do users who sign in from now on.
            let fresh = try #require(try await service.signIn("grace")["token"]?.string)
            #expect(try await service.status(bearer: fresh) == 200)

            let after = try await service.run("keys", "list", "--json")
            let entry = after.json["signing_keys"]?.array?.first { $0["kid"] == .string(leaked) }
            #expect(entry?["state"] == "retired")
            #expect(entry?["retired_at"] == retired.json["retired_at"])
            #expect(try await service.run("keys", "list").output.contains("is retired since"))
            #expect(try await service.run("keys", "retire", leaked).status == 0, "again is no fault")
            #expect(try await service.run("keys", "retire", "made-up").status == 1)
        }
    }

    @Test func `a signing key that has leaked for receipts is another one, which is rotated and retired by itself`()
        async throws
    {
        try await OperatedServer.with { service in
            let listed = try await service.run("keys", "list", "--json")
            let keys = try #require(listed.json["signing_keys"]?.array)
            let old = try #require(keys.first { $0["purpose"] == "receipt" }?["kid"]?.string)
            let rotated = try await service.run("keys", "rotate", "--receipts", "--now", "--json")
            let new = try #require(rotated.json["kid"]?.string, "\(rotated.errors)")
            let after = try await service.run("keys", "list", "--json")
            #expect(after.json["data_keys"] == listed.json["data_keys"], "nothing else is rotated")
            let states = after.json["signing_keys"]?.array?.map { [$0["kid"]?.string, $0["state"]?.string] }
            #expect(states == [[keys[0]["kid"]?.string, "signing"], [new, "signing"], [old, "verifying"]])
            try await eventually("the new key") { try await service.publishedKeys().contains(new) }
            #expect(try await service.publishedKeys().contains(old), "receipts are proof for years")
            #expect(try await service.run("keys", "retire", old).status == 0)
            try await eventually("the end of the old key") { try await !service.publishedKeys().contains(old) }
        }
    }
}
