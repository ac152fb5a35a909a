import Foundation
import GatehouseTesting
import HTTPTesting
import JSON
import Patience
import SimulatedCarriers
import Testing

@Suite struct `The users command` {
    @Test func `lists, shows, finds and exports users beside the server`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            _ = try await gatehouse.signIn("grace", at: .plain)
            let id = try #require(ada["user"]?["user_id"]?.integer)

            let list = try await gatehouse.run("users", "list", "--json")
            #expect(list.status == 0, "\(list.errors)")
            #expect(list.output.split(separator: "\n").count == 2)
            let plain = try await gatehouse.run("users", "list", "--provider", "plain", "--json")
            #expect(plain.json["user_id"] == 2)
            #expect(try await gatehouse.run("users", "list", "--limit", "1").output.hasPrefix("1  since 2"))
            #expect(try await gatehouse.run("users", "list", "--after", "1").output.hasPrefix("2  since 2"))

            let shown = try await gatehouse.run("users", "show", "\(id)")
            #expect(shown.output.contains("identity 1  zenkey"))
            #expect(shown.output.contains("session "))
            let asJSON = try await gatehouse.run("users", "show", "\(id)", "--json")
            #expect(asJSON.json["sessions"]?.array?.count == 1)

            let export = try await gatehouse.run("users", "export", "\(id)")
            let profile = try #require(export.json["profile"]?.object)
            #expect(!profile.members.isEmpty)
            #expect(export.json["identities"]?.array?.first?["subject"] == nil)
            let email = export.json["attributes"]?.array?.first { $0["attribute"] == "email" }
            #expect(email?["level"] == 1 && email?["provider"] == "zenkey" && email?["at"]?.integer != nil)
            let whole = try await gatehouse.run("users", "export", "\(id)", "--with-subjects")
            let subject = try #require(whole.json["identities"]?.array?.first?["subject"]?.string)
            #expect(!export.everything.contains(subject))
            #expect(!shown.everything.contains(subject) && !asJSON.everything.contains(subject))

            let issuer = try #require(whole.json["identities"]?.array?.first?["issuer"]?.string)
            let found = try await gatehouse.run(
                "users", "find", "--issuer", issuer, "--subject", "-", "--json", input: subject + "\n")
            #expect(found.json["user_id"] == .integer(id), "\(found.errors)")
            let nobody = try await gatehouse.run("users", "find", "--issuer", issuer, "--subject", "nobody")
            #expect(nobody.status == 1)
            #expect(nobody.output.isEmpty)
        }
    }

    @Test func `finds users by address and number, and tells whose word it is`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            let email = try #require(ada["user"]?["email"]?.string)
            let number = try #require(ada["user"]?["phone_number"]?.string)
            let thief = try #require(try await gatehouse.signIn("grace")["token"]?.string)
            let edited = try await gatehouse.call("PATCH", "/users/me", bearer: thief, form: ["email": email])
            #expect(edited.status == 200, "\(edited.text)")

            let found = try await gatehouse.run("users", "find", "--email", email.uppercased())
            #expect(found.status == 0, "\(found.errors)")
            let lines = found.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines.first?.hasPrefix("user 1 ") == true && lines.first?.hasSuffix("given by zenkey, verified") == true
            )
            #expect(lines.last?.hasPrefix("user 2 ") == true && lines.last?.hasSuffix("the user's own word") == true)
            let byNumber = try await gatehouse.run(
                "users", "find", "--phone-number", "-", "--json", input: number + "\n")
            #expect(byNumber.json["user_id"] == 1)
            #expect(byNumber.json["matches"]?.array?.first?["provider"] == "zenkey")
            #expect(!found.everything.contains(email) && !byNumber.everything.contains(number))

            let rotated = try await gatehouse.run("keys", "rotate", "--json")
            #expect(rotated.json["users_indexed"] == 2, "\(rotated.errors)")
            let admin = try await LoopbackClient(port: gatehouse.adminPort).send(
                "GET", "/admin/users?" + FormText.encode(["email": email]))
            #expect(admin["users"]?.array?.map { $0["user_id"] } == [1, 2], "\(admin.text)")

            let nobody = try await gatehouse.run("users", "find", "--email", "nobody@example.com")
            #expect(nobody.status == 1)
            #expect(nobody.errors == "gatehouse: there is no such user\n")
            #expect(try await gatehouse.run("users", "find", "--email", "a", "--phone-number", "1").status != 0)
            #expect(try await gatehouse.run("users", "find", "--issuer", "x").status != 0)
            #expect(try await gatehouse.run("users", "find").status != 0)
        }
    }

    @Test func `erases a user only when told twice, under the feet of the server`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let ada = try await gatehouse.signIn("ada")
            let token = try #require(ada["token"]?.string)
            let dry = try await gatehouse.run("users", "erase", "1")
            #expect(dry.status == 0)
            #expect(dry.output.contains("would be erased: profile, identities 1, sessions 1"))
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 200)
            let erased = try await gatehouse.run("users", "erase", "1", "--yes", "--json")
            #expect(erased.status == 0, "\(erased.errors)")
            #expect(erased.json == ["user_id": 1, "erased": true, "identities": 1, "sessions": 1, "receipts": 0])
            #expect(try await gatehouse.call("GET", "/users/me", bearer: token).status == 401)
            for arguments in [["show", "1"], ["export", "1"], ["erase", "1", "--yes"]] {
                let gone = try await gatehouse.run("users", arguments[0], "1")
                #expect(gone.status == 1)
                #expect(gone.errors == "gatehouse: there is no such user\n")
            }
            // Of a sign-in without our challenge the second of the end is not over as soon as the end is.
            try await eventually("a sign-in after the end") {
                try await gatehouse.signIn("ada")["new_user"] == true
            }
        }
    }

    @Test func `merges two users only when told twice, under the feet of the server`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let (ada, grace) = (try await gatehouse.signIn("ada"), try await gatehouse.signIn("grace"))
            let dry = try await gatehouse.run("users", "merge", "1", "2")
            #expect(dry.status == 0 && dry.output.contains("Nothing was merged"), "\(dry.everything)")
            #expect(try await gatehouse.call("GET", "/users/me", bearer: grace["token"]?.string).status == 200)
            let merged = try await gatehouse.run("users", "merge", "1", "2", "--yes", "--reason", "seen", "--json")
            #expect(
                merged.json == ["user_id": 1, "merged_user_id": 2, "merged": true, "identity_ids": [2]],
                "\(merged.everything)")
            #expect(try await gatehouse.call("GET", "/users/me", bearer: grace["token"]?.string).status == 401)
            let identities = try await gatehouse.call(
                "GET", "/users/me/identities", bearer: ada["token"]?.string)
            #expect(identities.json.array?.count == 2)
            for arguments in [["1", "2"], ["2", "1"]] {
                let gone = try await gatehouse.run("users", "merge", arguments[0], arguments[1], "--yes")
                #expect(gone.status == 1 && gone.errors == "gatehouse: there is no such user\n")
            }
            #expect(try await gatehouse.run("users", "merge", "1", "1", "--yes").errors.contains("one user already"))
            _ = try await gatehouse.signIn("heidi")
            #expect(try await gatehouse.run("users", "lock", "3").status == 0)
            let locked = try await gatehouse.run("users", "merge", "1", "3", "--yes")
            #expect(locked.status == 1 && locked.errors.contains("locked"), "\(locked.everything)")
        }
    }

    @Test func `says what is missing where there is no store, or no valid configuration`() async throws {
        try await RunningGatehouse.with { gatehouse in
            let empty = gatehouse.folder.appending(path: "empty")
            let file = gatehouse.folder.appending(path: "empty.yaml")
            try Data(RunningGatehouse.yaml(gatehouse.simulation, empty).utf8).write(to: file)
            let none = try await CommandRun(["users", "list", "--config", file.path])
            #expect(none.status == 1)
            #expect(none.errors.contains("there is no database"))
            #expect(!FileManager.default.fileExists(atPath: empty.path), "a command has made a store")
            try Data("providers: [".utf8).write(to: file)
            let faulty = try await CommandRun(["keys", "list", "--config", file.path])
            #expect(faulty.status == 1)
            #expect(!faulty.errors.isEmpty)
        }
    }
}
