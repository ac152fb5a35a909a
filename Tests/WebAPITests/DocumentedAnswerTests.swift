import HTTPServer
import HTTPTesting
import JSON
import OpenAPI
import Testing

@testable import WebAPI
@testable import Wings

@Suite struct `Every answer that the document promises` {
    /// Every kind of answer in the document.
    private static var promised: Set<String> {
        var names: Set<String> = []
        for operation in Operations.all(with: .ofTests) {
            for success in operation.description.successes {
                names.insert(APIStage.name(operation.description.id, success.status, nil))
            }
            let responses = operation.object.json["responses"]?.object?.members ?? []
            // What HTTP itself may say is provoked once, and not at each operation.
            for response in responses where response.name != "default" {
                let described = DocumentedAnswers.ofApps.check.resolved(response.value)
                let codes = described["content"]?["application/json"]?["examples"]?.object?.members.map(\.name) ?? []
                for code in codes.compactMap(ErrorCode.named) {
                    names.insert(APIStage.name(operation.description.id, code.status, code.rawValue))
                }
            }
        }
        return names
    }

    /// The stage holds each answer against the document as it comes; here it is the other way round.
    @Test func `every answer that the document promises is given`() async throws {
        var seen = try await CodeTour.seen().union(AccountTour.seen()).union(BrowserTour.seen()).union(PushTour.seen())
            .union(VaultTour.seen()).union(ExchangeTour.seen()).union(KeyServiceTour.seen()).union(SignUpTour.seen())
            .union(AccountPageTour.seen())
        let app = try await APIStage()
        _ = await app.send(.get, "/healthz")
        let token = try await app.signedIn().token
        let files = try await APIStage(associationFiles: BrowserStage.associationFiles)
        for (stage, path) in [
            (app, "/.well-known/jwks.json"), (app, "/auth/client-jwks.json"), (app, "/openapi.json"), (app, "/docs"),
            (app, "/"), (app, "/users/me"), (app, IssuerMetadata.paths[0]), (app, IssuerMetadata.paths[1]),
            (files, AssociationFiles.applePath), (files, AssociationFiles.androidPath),
        ] {
            _ = await stage.send(.get, path, headers: bearer(token))
            _ = await stage.send(.get, path, headers: bearer(token) + [("If-None-Match", "*")])
        }
        seen.formUnion(app.seenAnswers.union(files.seenAnswers))
        var settings = SecurityContactSettings()
        settings.contacts = ["mailto:security@example.com"]
        let told = try await APIStage(wings: APIExtensions([.securityContact(settings, origin: nil)]))
        _ = await told.send(.get, SecurityContact.path)
        _ = await told.send(.get, SecurityContact.path, headers: [("If-None-Match", "*")])
        seen.formUnion(told.seenAnswers)
        let hurried = try await APIStage(perMinute: 1)
        for _ in 0..<2 {
            _ = await hurried.post("/auth/challenge", json: [:])
            _ = await hurried.post("/auth/token", form: "grant_type=refresh_token&refresh_token=wrong")
        }
        seen.formUnion(hurried.seenAnswers)
        // A challenge is sealed and not stored, so that it takes a store without keys.
        seen.insert(APIStage.name("issueChallenge", 503, "storage_unavailable"))
        #expect(Self.promised.subtracting(seen).sorted() == [])
        #expect(Self.promised.count > 120)
    }
}
