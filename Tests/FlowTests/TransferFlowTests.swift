import Accounts
import AccountsSQL
import AccountsSQLite
import GatehouseTesting
import HTTPTesting
import JSON
import TestSupport
import Testing

@testable import Composition
@testable import Operations

@Suite struct `An app that moves to another team at Apple` {
    @Test func `keeps its users, each of whom Apple was asked about before`() async throws {
        try await TransferFlow.with { flow in
            let before = try await flow.signIn("person-1")
            #expect(before.status == 200 && before["new_user"] == true, "\(before.text)")
            _ = try await flow.signIn("person-2")
            let run = try await flow.transfer("--json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.json["identities"] == 2 && run.json["prepared"] == 2 && run.json["noted"] == 2)
            #expect(flow.apple.takeAsked() == ["person-1", "person-2"])

            let after = try await flow.signIn("moved-1", former: "transfer-1")
            #expect(after.status == 200 && after["migrated"] == true && after["new_user"] == false, "\(after.text)")
            #expect(after["user"]?["user_id"] == before["user"]?["user_id"])
            let old = try await flow.gatehouse.call("GET", "/users/me", bearer: before["token"]?.string)
            #expect(old.status == 401)
            let trail = try await flow.gatehouse.server.repository.auditEvents(after: 0, limit: 9).map(\.kind)
            #expect(trail == [.userCreated, .userCreated, .usersTransferred, .identityMigrated])

            // The claim comes for 60 days. It moves nobody a second time, neither the user nor a thief of it.
            #expect(try await flow.signIn("moved-1", former: "transfer-1")["migrated"] == false)
            let thief = try await flow.signIn("thief", former: "transfer-1")
            #expect(thief["new_user"] == true && thief["user"]?["user_id"] != before["user"]?["user_id"])
            let log = flow.gatehouse.log.text
            for word in AppleStub.secrets {
                #expect(!run.everything.contains(word) && !log.contains(word) && !after.text.contains(word))
            }
        }
    }

    @Test func `has the moved user wait for a day before they approve anything`() async throws {
        try await TransferFlow.with { flow in
            _ = try await flow.signIn("person-1")
            #expect(try await flow.transfer().status == 0)
            let moved = try await flow.signIn("moved-1", former: "transfer-1")
            let token = try #require(moved["token"]?.string)
            let refused = try await flow.gatehouse.call("DELETE", "/users/me", bearer: token)
            #expect(refused.status == 403 && refused.json["error"] == "identity_too_new", "\(refused.text)")
        }
    }

    @Test func `is asked about again where it was stopped, and never about users who are prepared`() async throws {
        try await TransferFlow.with { flow in
            try await flow.addUsers(60)
            flow.apple.behave { $0.breaksAfter = 7 }
            let stopped = try await flow.transfer("--json")
            #expect(stopped.status == 1, "\(stopped.everything)")
            #expect(stopped.json["noted"] == 7 && stopped.json["stopped"]?.string?.contains("can't answer now") == true)
            _ = flow.apple.takeAsked()
            flow.apple.behave { $0.breaksAfter = .max }
            let again = try await flow.transfer()
            #expect(again.status == 0 && again.output.hasPrefix("60 of 60 identities are prepared, 53 of them now."))
            #expect(flow.apple.takeAsked().count == 53)
            #expect(try await flow.transfer().status == 0)
            #expect(flow.apple.takeAsked().isEmpty)
        }
    }

    @Test func `loses nobody for one whom Apple does not know, and says how many those are`() async throws {
        try await TransferFlow.with { flow in
            for number in 1...3 { _ = try await flow.signIn("person-\(number)") }
            flow.apple.behave { $0.refused = ["person-2"] }
            let run = try await flow.transfer("--json")
            #expect(run.status == 1 && run.json["noted"] == 2 && run.json["failed"] == 1, "\(run.everything)")
            #expect(run.json["stopped"] == .null)
            for word in AppleStub.secrets { #expect(!run.everything.contains(word)) }
        }
    }

    @Test func `is not asked about to the end where everybody is refused, and is asked about to the end where not`()
        async throws
    {
        try await TransferFlow.with { flow in
            try await flow.addUsers(300)
            let refused = try await flow.transfer("--json", to: "WRONGTEAM1")
            #expect(refused.status == 1 && refused.json["noted"] == 0, "\(refused.everything)")
            #expect(refused.json["stopped"]?.string?.hasPrefix("refuses the subject, or the team") == true)
            // A hundred in a row, and those that were under way.
            #expect((100..<120).contains(try #require(refused.json["failed"]?.integer)))
            let told = try await flow.transfer("--json")
            #expect(told.status == 0 && told.json["noted"] == 300 && told.json["prepared"] == 300)
        }
    }

    @Test func `has Apple asked by the team that it leaves, and by no other`() async throws {
        try await TransferFlow.with { flow in
            _ = try await flow.signIn("person-1")
            let late = try await flow.transfer(changing: ["appleTeamID: NEWTEAM001"])
            #expect(late.status == 1 && late.errors.contains("is the appleTeamID of plain already"))
            let stranger = try await flow.transfer("--json", changing: ["appleTeamID: STRANGER01"])
            #expect(stranger.status == 1 && stranger.json["stopped"]?.string?.hasPrefix("does not know us") == true)
            let unknown = try await flow.transfer("--json", to: "WRONGTEAM1")
            #expect(unknown.status == 1 && unknown.json["failed"] == 1 && unknown.json["noted"] == 0)
            #expect(flow.apple.takeAsked().isEmpty)
        }
    }

    @Test func `is no matter of other providers, unknown ones, or teams that can't be`() async throws {
        try await TransferFlow.with { flow in
            let carrier = try await flow.transfer(provider: "zenkey")
            #expect(carrier.status == 1 && carrier.errors.contains("clientAuthentication apple"))
            let unknown = try await flow.transfer(provider: "other")
            #expect(unknown.status == 1 && unknown.errors.contains("No provider is called other."))
            for team in ["", "newteam001", "NEWTEAM01", "NEWTEAM0011", "NEW-TEAM01"] {
                let run = try await flow.transfer(to: team)
                #expect(run.status == 1 && run.errors.contains("ten characters"), "\(team)")
            }
        }
    }

    @Test func `moves nobody through a section that is not Apple's, whatever is noted`() async throws {
        try await TransferFlow.with(isApple: false) { flow in
            let before = try await flow.signIn("person-1")
            #expect(try await flow.transfer().status == 0)
            let after = try await flow.signIn("moved-1", former: "transfer-1")
            #expect(after["new_user"] == true && after["user"]?["user_id"] != before["user"]?["user_id"])
        }
    }

    @Test func `leaves an identity that is erased meanwhile, and one of another section, alone`() async throws {
        try await TransferFlow.with { flow in
            let erased = try await flow.signIn("person-1")
            let id = try #require(erased["user"]?["user_id"]?.integer)
            _ = try await flow.gatehouse.signIn("ada")
            #expect(try await flow.transfer().status == 0)
            #expect(flow.apple.takeAsked() == ["person-1"], "a carrier's subscriber is no business of Apple's")
            #expect(try await flow.gatehouse.server.repository.erase(UserID(rawValue: id), now: 0))
            #expect(try await flow.signIn("moved-1", former: "transfer-1")["new_user"] == true)
        }
    }
}
