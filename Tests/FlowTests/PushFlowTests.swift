import Foundation
import JSON
import SimulatedCarriers
import Testing

@Suite struct `A sign-in that begins on the phone` {
    @Test func `signs the user in who approves, and gives the app its tokens`() async throws {
        try await PushFlow.with { flow in
            let begun = try await flow.begin()
            #expect(begun.status == 200 && begun["expires_in"] == 3600, "\(begun.text)")
            let id = try #require(begun["auth_req_id"]?.string)
            let pending = try await flow.poll(id)
            #expect(pending.status == 200 && pending.json == ["auth_req_id": .string(id)], "\(pending.text)")
            #expect(try await flow.answer() == [200])
            let done = try await flow.ended(id)
            #expect(done.status == 302 && done["auth_req_id"] == .string(id), "\(done.text)")
            #expect(done.header("location") == nil && done.header("cache-control") == "no-store")
            let token = try #require(done["token"]?.string)
            let user = try await flow.gatehouse.call("GET", "/users/me", bearer: token)
            #expect(user["name"] == "Ada Lovelace")
            let refreshed = try await flow.gatehouse.refresh(try #require(done["refresh_token"]?.string))
            #expect(refreshed.status == 200)
        }
    }
}
