import Accounts
import AccountsSQLite
import GatehouseTesting
import HTTPTesting
import JSON
import SimulatedCarriers
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A link to a credential` {
    private static let asked = ["username": "jane", "delivery_method": "return", "authenticator_type": "native"]

    /// A user of the plain provider.
    private func session(_ flow: DirectoryFlow, _ subscriber: String) async throws -> (token: String, user: JSONValue) {
        let signedIn = try await flow.gatehouse.signIn(subscriber, at: .plain)
        return (try #require(signedIn["token"]?.string), try #require(signedIn["user"]?["user_id"]))
    }

    private func link(_ flow: DirectoryFlow, _ token: String) async throws -> String {
        let answer = try await flow.post("/credential-binding-link", Self.asked, ["Authorization": "Bearer \(token)"])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["error"] == nil && answer["message"] == nil && answer["code"] == nil)
        return try #require(answer["credential_binding_link"]?.string, "\(answer.text)")
    }

    @Test func `is for the user of the session, whatever name comes with it`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            try await flow.signUp("jane", "jane@example.com")
            try await flow.bind(try await flow.mails().first)
            let signedUp = try await flow.signIn("jane")
            let jane = try #require(signedUp["user"]?["user_id"])
            let (token, user) = try await session(flow, "ada")
            try await flow.bind(try await link(flow, token))
            let accounts = try await flow.accounts()
            #expect(accounts.count == 2)
            let other = try #require(accounts.last?["id"]?.string)
            let signedIn = try await flow.signIn(other)
            #expect(signedIn["user"]?["user_id"] == user && user != jane, "\(signedIn.text)")
            let again = try await link(flow, token)
            #expect(try await flow.accounts().count == 2 && again.contains("/bind"))
            let bearer = try #require(signedIn["token"]?.string)
            let identities = try await flow.gatehouse.call("GET", "/users/me/identities", bearer: bearer)
            #expect(identities.json.array?.map { $0["origin"] } == ["sign-in", "link"], "\(identities.text)")
        }
    }

    @Test func `is none of a stranger's, for a sign-up, a recovery or a known name`() async throws {
        for more in ["", ", returnLinks: false"] {
            try await DirectoryFlow.with(.v1, more) { flow in
                try await flow.signUp("jane", "jane@example.com")
                let accounts = try await flow.accounts()
                let members = Self.asked.merging(["email": "jane@example.com"]) { $1 }
                for path in [
                    "/users/signup", "/users", "/recover-user", "/credential-binding-link",
                    "/recover-credential-binding-link",
                ] {
                    let answer = try await flow.post(path, members)
                    #expect(answer.status == 200, "\(path) \(answer.text)")
                    #expect(answer["delivery"] == "email" && answer["credential_binding_link"] == nil)
                }
                #expect(try await flow.accounts() == accounts)
                #expect(try await flow.users() == 1)
                let wrong = try await flow.post(
                    "/credential-binding-link", members, ["Authorization": "Bearer nothing"])
                #expect(wrong.status == 401)
            }
        }
    }

    @Test func `for a new name is given where it is switched on, and leads nobody else into that account`() async throws
    {
        try await DirectoryFlow.with(.v1, ", returnLinks: true") { flow in
            // A stranger signs up with the address of somebody else, and keeps the credential.
            let taken = Self.asked.merging(["username": "victim", "email": "victim@example.com"]) { $1 }
            let answer = try await flow.post("/users/signup", taken)
            try await flow.bind(answer["credential_binding_link"]?.string)
            let first = try await flow.signIn("victim")
            let thief = try #require(first["user"]?["user_id"])
            // Whatever the owner of that address does, no mail leads into the account of the stranger.
            let tries: [(String, [String: String])] = [
                ("/users/signup", ["username": "victim", "email": "victim@example.com"]),
                ("/recover-user", ["username": "victim"]), ("/recover-user", ["email": "victim@example.com"]),
            ]
            for (path, members) in tries {
                #expect(try await flow.post(path, members).status == 200)
                try await flow.deliver()
                #expect(try await flow.mails().isEmpty, "\(path) \(members)")
            }
            try await flow.signUp(nil, "victim@example.com")
            try await flow.bind(try await flow.mails(to: "victim@example.com").first)
            let victim = try await flow.signIn("victim@example.com")
            #expect(victim["new_user"] == true && victim["user"]?["user_id"] != thief, "\(victim.text)")
        }
    }

    /// What the sample apps post (`username`, `authenticator_type`, `delivery_method`) and decode.
    @Test func `for a new name is there without a switch, and says that no mail will ever come`() async throws {
        try await DirectoryFlow.with(.v1) { flow in
            let answer = try await flow.post("/credential-binding-link", Self.asked)
            #expect(answer["credential_binding_link"]?.string?.contains("/bind") == true, "\(answer.text)")
            #expect(answer["mail_recovery"] == false)
            let name = try #require(Self.asked["username"])
            let recovery = try await flow.post("/recover-user", ["username": name])
            #expect(recovery.status == 200 && recovery["mail_recovery"] == nil)
            try await flow.deliver()
            #expect(try await flow.mails().isEmpty)
        }
    }

    /// The sample of 2021 posts an address there and nothing else, and takes 200 for done.
    @Test func `is mailed to who enrols, at the sample's own path`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            let answer = try await flow.post("/enroll", ["email": "jane@example.com"])
            #expect(answer.status == 200 && answer["delivery"] == "email")
            try await flow.deliver()
            #expect(try await flow.mails(to: "jane@example.com").count == 1)
            #expect(try await flow.post("/enroll", ["name": "Jane"]).status == 400)
        }
    }

    @Test func `for a name that is an address is mailed there`() async throws {
        try await DirectoryFlow.with(.v1, ", returnLinks: true") { flow in
            let members = Self.asked.merging(["username": "victim@example.com"]) { $1 }
            let answer = try await flow.post("/users/signup", members)
            #expect(answer["delivery"] == "email" && answer["credential_binding_link"] == nil)
            try await flow.deliver()
            #expect(try await flow.mails(to: "victim@example.com").count == 1)
        }
    }

    @Test(arguments: [
        (Misbehaviour.answer(.internalServerError), 502), (.answer(.reset), 502), (.answer(.html), 502),
        (.directory(.unauthorized), 502), (.directory(.withoutID), 502), (.answer(.tooManyRequests), 503),
    ])
    func `that fails leaves nobody behind`(misbehaviour: Misbehaviour, status: Int) async throws {
        try await DirectoryFlow.with(.v1, ", returnLinks: true") { flow in
            flow.simulation.misbehave(misbehaviour, at: .directoryJobs, of: .beyond, times: 2)
            let answer = try await flow.post("/users/signup", Self.asked)
            #expect(answer.status == status, "\(answer.text)")
            #expect(try await flow.users() == 0)
            #expect(!answer.text.contains("demo"))
        }
    }

    @Test func `is none in the API of 2021`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            let (token, _) = try await session(flow, "ada")
            let answer = try await flow.post(
                "/credential-binding-link", Self.asked, ["Authorization": "Bearer \(token)"])
            #expect(answer.status == 400 && answer.text.contains("delivery_method"))
        }
    }

    @Test func `of an account whose name is no text joins nobody`() async throws {
        try await DirectoryFlow.with(.of2021) { flow in
            try await flow.signUp("jane", "jane@example.com")
            try await flow.bind(try await flow.mails().first)
            let hint = try #require(try await flow.accounts().first?["user_name"]?.string)
            let stranger = try await flow.signIn(hint, ["misbehave": "userinfo_numeric_external_id"])
            #expect(stranger["new_user"] == true, "\(stranger.text)")
            #expect(try await flow.users() == 2)
        }
    }
}
