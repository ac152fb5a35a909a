import GatehouseTesting
import HTTPTesting
import JSON
import Testing

@Suite struct `The recipes` {
    @Test func `are there for every provider, and say of each what goes wrong`() throws {
        let recipes = try Recipe.all()
        #expect(Set(recipes.map(\.title)) == Set(RecipeTrial.all.keys))
        for recipe in recipes {
            #expect(recipe.failures.count >= 4, "\(recipe.title)")
            for failure in recipe.failures { #expect(RecipeTrial.wrongs[failure.what] != nil, "\(failure.what)") }
        }
    }

    @Test(arguments: RecipeTrial.all.keys.sorted())
    func `sign a user in when they are followed to the letter`(title: String) async throws {
        let (recipe, trial) = try Self.found(title)
        try await trial.with(recipe) { gatehouse in
            let body = try recipe.request(try await trial.held(at: gatehouse))
            // Every placeholder is something that the app has.
            #expect(body.object?.members.allSatisfy { $0.value.string?.contains("_TOKEN") != true } == true)
            let answer = try await gatehouse.post("/auth/signin", body)
            #expect(answer.status == 200, "\(answer.text) \(gatehouse.log.text)")
            #expect(answer["token"] != nil)
        }
    }

    @Test(arguments: RecipeTrial.all.keys.sorted())
    func `tell what goes wrong as it is told`(title: String) async throws {
        let (recipe, trial) = try Self.found(title)
        try await trial.with(recipe) { gatehouse in
            for failure in recipe.failures {
                let more = try #require(RecipeTrial.wrongs[failure.what])
                var held = try await trial.held(at: gatehouse, more)
                if failure.what == RecipeTrial.otherNonce { held["NONCE"] = "another" }
                var body = try recipe.request(held)
                if failure.what == RecipeTrial.secondTime {
                    let first = try await gatehouse.post("/auth/signin", body)
                    #expect(first.status == 200, "\(first.text)")
                    body = .object(
                        JSONObject((body.object?.members ?? []) + [(name: "correlation_id", value: "thief")]))
                }
                let answer = try await gatehouse.post("/auth/signin", body)
                #expect(answer.status == failure.status, "\(failure.what): \(answer.text)")
                #expect(answer["error"]?.string == failure.error, "\(failure.what): \(answer.text)")
                #expect(answer["reason"]?.string == failure.reason, "\(failure.what): \(answer.text)")
                let line = failure.reason.map { "reason=\"\(failure.error): \($0)" } ?? "reason=\(failure.error)"
                #expect(gatehouse.log.text.contains(line), "\(failure.what): \(gatehouse.log.text)")
            }
            #expect(!gatehouse.log.text.contains("eyJ"))
        }
    }

    private static func found(_ title: String) throws -> (Recipe, RecipeTrial) {
        let recipe = try #require(try Recipe.all().first { $0.title == title }, "there is no recipe for \(title)")
        return (recipe, try #require(RecipeTrial.all[title]))
    }
}
