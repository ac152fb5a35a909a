import Accounts
import Synchronization
import Testing

@testable import SignIn

@Suite struct `The room of pending sign-ins` {
    private let room = PendingSignInRoom()

    private func limits(_ rows: Int64 = 1_000_000, _ bytes: Int64 = 128_000, instances: Int64 = 1)
        -> BrowserSignIn.Limits
    {
        BrowserSignIn.Limits(
            maximumPending: rows, maximumBytes: bytes, instances: instances, confirmationSeconds: 0)
    }

    /// How many of so many had the store looked at.
    private func looks(_ count: Int, _ bytes: Int64, _ limits: BrowserSignIn.Limits) async throws -> [PendingBounds] {
        var looks: [PendingBounds] = []
        for _ in 0..<count {
            try await room.admit(bytes, limits) { bounds in looks.append(bounds) }
        }
        return looks
    }

    @Test func `is looked at by the first, and whenever another part of it was begun`() async throws {
        let looks = try await looks(100, 100, limits())
        // A part has 1000 bytes, ten of these.
        #expect(looks.count == 10)
        #expect(looks.first == PendingBounds(rows: 984_376, bytes: 126_000, bytesPerHolder: 4400))
    }

    @Test func `is shared by the instances, so that none begins more than its share between two looks`() async throws {
        #expect(try await looks(100, 100, limits(instances: 2)).count == 20)
    }

    @Test func `is looked at by number too`() async throws {
        #expect(try await looks(100, 1, limits(1280)).count == 10)
    }

    @Test func `lets nobody in while a look takes so long that too many have begun`() async throws {
        let (limits, room) = (limits(), room)
        var refused = 0
        try await room.admit(1, limits) { _ in
            for _ in 0..<100 {
                do throws(ServiceError) { try await room.admit(100, limits) { _ in } } catch { refused += 1 }
            }
        }
        #expect(refused == 81)
    }

    @Test func `is looked at again by the next one when the store could not be asked`() async throws {
        await #expect(throws: ServiceError.overloaded) {
            try await room.admit(1, limits()) { _ throws(ServiceError) in throw .overloaded }
        }
        #expect(try await looks(1, 1, limits()).count == 1)
    }
}
