import Accounts
import AccountsSQL
import AccountsSQLite
import GatehouseTesting
import HTTPTesting
import JSON
import SignIn
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `Signing up at a directory` {
    @Test(arguments: DirectoryFlow.API.allCases)
    func `ends with a sign-in of the user that it has made`(api: DirectoryFlow.API) async throws {
        try await DirectoryFlow.with(api) { flow in
            try await flow.signUp("Jane", "jane@example.com")
            #expect(try await flow.users() == 1)
            let account = try #require(try await flow.accounts().first)
            let hint = account["external_id"]?.string ?? "Jane"
            #expect(try await flow.authorize(hint)["error"] == "access_denied")
            try await flow.bind(try await flow.mails(to: "jane@example.com").first)
            let first = try await flow.signIn(hint)
            #expect(first.status == 200 && first["new_user"] == true, "\(first.text)")
            let second = try await flow.signIn(hint)
            #expect(second["new_user"] == false)
            #expect(second["user"]?["user_id"] == first["user"]?["user_id"])
            #expect(try await flow.users() == 1)
            let token = try #require(second["token"]?.string)
            let me = try await flow.gatehouse.call("GET", "/users/me", bearer: token)
            #expect(me["username"] == "Jane")
            let identities = try await flow.gatehouse.call("GET", "/users/me/identities", bearer: token)
            #expect(identities.json.array?.map { $0["origin"] } == ["sign-in"], "\(identities.text)")
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 100, user: nil).map(
                \.kind)
            #expect(trail == [.userSignedUp, .directoryMailed, .directoryJoined])
        }
    }

    @Test func `sends our own requests without PKCE where the application is registered so`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            try await flow.signUp("jane", "jane@example.com")
            try await flow.bind(try await flow.mails().first)
            let hint = try #require(try await flow.accounts().first?["user_name"]?.string)
            var browser = BrowserFlow(flow.gatehouse)
            let code = try await browser.code(["provider": "beyond", "mccmnc": "", "login_hint": hint])
            #expect(try await browser.redeem(code).status == 200)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases)
    func `answers known and unknown names alike, to the byte`(api: DirectoryFlow.API) async throws {
        // Where links are returned, one is what tells a new name from a known one.
        try await DirectoryFlow.with(api, api == .v1 ? ", returnLinks: false" : "") { flow in
            try await flow.signUp("jane", "jane@example.com")
            var answers: Set<String> = []
            for number in 0..<200 {
                let requests = [
                    ("/users/signup", true), ("/recover-user", true), ("/users/signup", false),
                    ("/recover-user", false), ("/recover-credential-binding-link", number % 2 == 0),
                ]
                for (path, isKnown) in requests {
                    let name = isKnown ? "jane" : "stranger-\(number)"
                    let answer = try await flow.post(
                        path, ["username": name, "email": "\(name)@example.com", "delivery_method": "return"])
                    let fields = answer.headers.filter { !["Date", "X-Request-ID"].contains($0.name) }
                        .map { "\($0.name): \($0.value)" }
                    answers.insert("\(answer.status)\n\(fields.joined(separator: "\n"))\n\(answer.text)")
                }
            }
            #expect(answers.count == 1, "\(answers)")
            let last = try #require(answers.first?.split(separator: "\n").last)
            let body = try JSONValue(parsing: Array(last.utf8))
            #expect(body == ["delivery": "email", "authenticator_url": "https://app.byndid.com/downloads"])
            #expect(try await flow.users() == 1)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases)
    func `again makes nothing anew, and another mail while there are not too many`(
        api: DirectoryFlow.API
    ) async throws {
        try await DirectoryFlow.with(api) { flow in
            for _ in 0..<5 { try await flow.signUp("jane", "jane@example.com") }
            #expect(try await flow.users() == 1)
            #expect(try await flow.accounts().count == 1)
            #expect(try await flow.mails().count == 3)
            // Somebody who wants the same name before anybody has signed in by it gets an account of their own, which a
            // directory refuses where names are its own, and never that one.
            flow.pass(seconds: 3600)
            try await flow.signUp("JANE", "thief@example.com")
            let isRefused = api == .v1
            #expect(try await flow.mails(to: "thief@example.com").count == (isRefused ? 0 : 1))
            #expect(try await flow.mails(to: "jane@example.com").count == 3)
            #expect(try await flow.accounts().count == (isRefused ? 1 : 2))
            try await flow.signUp("jane", "jane@example.com")
            #expect(try await flow.mails(to: "jane@example.com").count == 4)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases)
    func `by a name or an address, recovery mails another credential, and to strangers nothing`(
        api: DirectoryFlow.API
    ) async throws {
        try await DirectoryFlow.with(api) { flow in
            try await flow.signUp("jane", "jane@example.com")
            for members in [["username": "jane"], ["email": "Jane@example.com"], ["user_name": "JANE"]] {
                flow.pass(seconds: 3600)
                #expect(try await flow.post("/recover-user", members).status == 200)
                try await flow.deliver()
            }
            #expect(try await flow.mails(to: "jane@example.com").count == 4)
            let calls = flow.simulation.counts[.beyond, api.again]
            for members in [["username": "john"], ["email": "john@example.com"]] {
                #expect(try await flow.post("/recover-user", members).status == 200)
                try await flow.deliver()
            }
            #expect(flow.simulation.counts[.beyond, api.again] == calls)
            #expect(try await flow.mails().count == 4)
            #expect(try await flow.users() == 1)
        }
    }

    @Test(arguments: DirectoryFlow.API.allCases)
    func `for more than may wait has no room`(api: DirectoryFlow.API) async throws {
        try await DirectoryFlow.with(api, ", pending: 2") { flow in
            for (number, status) in [200, 200, 503].enumerated() {
                let answer = try await flow.post("/recover-user", ["username": "u\(number)"])
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test func `too often from one address is refused`() async throws {
        try await DirectoryFlow.with(.of2021, limits: .init(signUps: 2)) { flow in
            for (path, status) in [("/recover-user", 200), ("/users/signup", 200), ("/users", 429)] {
                let answer = try await flow.post(path, ["username": "jane@example.com"])
                #expect(answer.status == status, "\(path) \(answer.text)")
            }
        }
    }

    @Test func `needs what it needs, by its name`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            let wrong: [([String: String], String)] = [
                ([:], "username"), (["username": "jane"], "email"), (["email": "jane"], "email"),
                (["username": "j@example.com", "email": "k@example.com"], "email"),
                (["username": String(repeating: "j", count: 256), "email": "j@example.com"], "username"),
                (["username": "j\u{7}", "email": "j@example.com"], "username"),
                (["username": "j", "email": "j@example.com", "delivery_method": "pigeon"], "delivery_method"),
                (["username": "j", "email": "j@example.com", "authenticator_type": "x"], "authenticator_type"),
            ]
            for (members, name) in wrong {
                for path in ["/users/signup", "/users", "/credential-binding-link"] {
                    let answer = try await flow.post(path, members)
                    #expect(answer.status == 400, "\(answer.text)")
                    #expect(answer["error_description"]?.string?.contains(name) == true, "\(answer.text)")
                }
            }
            #expect(try await flow.gatehouse.server.repository.outboxStatus().pending == 0)
        }
    }
}
