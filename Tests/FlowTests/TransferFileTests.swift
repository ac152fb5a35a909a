import Foundation
import HTTPTesting
import JSON
import Testing

@testable import Composition
@testable import Operations

@Suite struct `A file of what Apple has told of users` {
    private static func line(_ subject: String, _ transfer: String) -> String {
        #"{"sub":"\#(subject)","transfer_sub":"\#(transfer)"}"# + "\n"
    }

    @Test func `does as well as asking, also once the app has moved`() async throws {
        try await TransferFlow.with { flow in
            let before = try await flow.signIn("person-1")
            _ = try await flow.signIn("person-2")
            let lines = Self.line("person-1", "transfer-1") + "\n" + Self.line("person-9", "transfer-9")
            let run = try await flow.transfer(
                "--from", "-", "--json", input: lines, changing: ["appleTeamID: NEWTEAM001"])
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.json["noted"] == 1 && run.json["unknown"] == 1 && run.json["identities"] == 2)
            #expect(flow.apple.takeAsked().isEmpty)
            let after = try await flow.signIn("moved-1", former: "transfer-1")
            #expect(after["migrated"] == true && after["user"]?["user_id"] == before["user"]?["user_id"])
            // The rest can still be asked about, by an operator with the former team's key.
            #expect(try await flow.transfer().status == 0)
            #expect(flow.apple.takeAsked() == ["moved-1", "person-2"])
        }
    }

    @Test func `is stored as a whole or not at all, its faults told by line and never by what stands there`()
        async throws
    {
        try await TransferFlow.with { flow in
            for number in 1...2 { _ = try await flow.signIn("person-\(number)") }
            let long = String(repeating: "x", count: 256)
            let faults = [
                (Self.line("person-2", "transfer-1"), "its transfer_sub stands in line 1 already, for another sub"),
                (Self.line("person-1", "transfer-2"), "its sub stands in line 1 already"),
                (Self.line("person-2", long), "it has no transfer_sub, or one that no ID token could have"),
                (#"{"sub":"person-2","transfer_sub":7}"# + "\n", "it has no transfer_sub"),
                (Self.line(long, "transfer-2"), "it has no sub, or one that no ID token could have"),
                ("[\"person-2\"]\n", "it is no JSON object"), ("person-2\n", "it is no JSON object"),
                (#"{"sub":"person-2","sub":"person-1","transfer_sub":"x"}"# + "\n", "it is no JSON object"),
                (Self.line("person-2", String(repeating: "y", count: 20_000)), "it is too long"),
            ]
            for (bad, sentence) in faults {
                let run = try await flow.transfer("--from", "-", input: Self.line("person-1", "transfer-1") + bad)
                #expect(run.status == 1 && run.errors.contains("line 2: \(sentence)"), "\(run.everything)")
                #expect(run.errors.contains("Nothing was stored."))
                for word in AppleStub.secrets { #expect(!run.everything.contains(word)) }
            }
            #expect(try await flow.signIn("moved-1", former: "transfer-1")["new_user"] == true)
        }
    }

    @Test func `that takes what leads to somebody else changes nothing of theirs`() async throws {
        try await TransferFlow.with { flow in
            let first = try await flow.signIn("person-1")
            _ = try await flow.signIn("person-2")
            #expect(try await flow.transfer("--from", "-", input: Self.line("person-1", "transfer-1")).status == 0)
            let run = try await flow.transfer("--from", "-", "--json", input: Self.line("person-2", "transfer-1"))
            #expect(run.status == 1 && run.json["taken"] == 1)
            #expect(run.errors.contains("line 1: its transfer_sub leads to another identity already"))
            let moved = try await flow.signIn("moved-1", former: "transfer-1")
            #expect(moved["user"]?["user_id"] == first["user"]?["user_id"])
        }
    }

    @Test func `that is not there is an error`() async throws {
        try await TransferFlow.with { flow in
            let run = try await flow.transfer("--from", "/nonexistent/file")
            #expect(run.status == 1 && run.errors.contains("can't be read"))
        }
    }
}
