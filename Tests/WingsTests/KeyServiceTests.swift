import Accounts
import Crypto
import Patience
import SignIn
import Syntax
import System
import Telemetry
import TestSupport
import Testing

@testable import Wings

@Suite struct `The KeyService` {
    private let stage: SignInStage

    init() async throws { stage = try await SignInStage() }

    /// As quick as scrypt can be: what is tried here is not how slow it is.
    static func hashing(cost: Int = 1, places: Int = 2, waiting: Int = 1000) throws -> PasswordHashing {
        PasswordHashing(try Scrypt(cost: cost), places: places, maximumWaiting: waiting, observers: .none)
    }

    private func service(_ hashing: PasswordHashing? = nil, keysPerDay: Int64? = nil) throws -> KeyService {
        KeyService(
            keys: UnlockKeys(stage.repository), budgets: stage.repository, locks: stage.repository,
            hashing: try hashing ?? Self.hashing(),
            keysPerDay: keysPerDay, clock: Clock { SigningProvider.now })
    }

    private func error(_ body: () async throws(ServiceError) -> UnlockedKey) async -> ServiceError? {
        do throws(ServiceError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `gives a key back for its password and for its long secret`() async throws {
        let keys = try service()
        let made = try await keys.create(password: Secret("1234"))
        #expect(made.key.count == 32 && made.longSecret.count == 43 && made.keyID.count == 32)
        for unlocked in [
            try await keys.unlock(made.keyID, password: Secret("1234")),
            try await keys.unlock(made.keyID, longSecret: made.longSecret),
        ] {
            #expect(unlocked.keyID == made.keyID && unlocked.key == made.key)
            #expect(unlocked.longSecret == made.longSecret)
        }
    }

    @Test func `takes a secret to the byte, and to the last one`() async throws {
        let keys = try service()
        let long = String(repeating: "1", count: 65)
        for password in ["1234", long, "p\u{E5}"] {
            let key = try await keys.create(password: Secret(password))
            for other in [password + "\0", password + " ", String(password.dropLast())] {
                #expect(
                    await error { () async throws(ServiceError) in
                        try await keys.unlock(key.keyID, password: Secret(other))
                    } == .ofWing(.badPassword))
                _ = try await keys.unlock(key.keyID, password: Secret(password))
                let longSecret = key.longSecret.revealedText + other.dropFirst(password.count)
                if longSecret == key.longSecret.revealedText { continue }
                #expect(
                    await error { () async throws(ServiceError) in
                        try await keys.unlock(key.keyID, longSecret: Secret(longSecret))
                    } == .ofWing(.badPassword))
            }
            #expect(
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, password: Secret(Digest.sha256.hash(Array(password.utf8))))
                }
                    == .ofWing(.badPassword))
        }
    }

    @Test func `makes another key each time, also of one password`() async throws {
        let keys = try service()
        let (one, two) = (try await keys.create(password: Secret("1")), try await keys.create(password: Secret("1")))
        #expect(one.keyID != two.keyID && one.key != two.key && one.longSecret != two.longSecret)
        for key in [one, two] { #expect(try await keys.unlock(key.keyID, password: Secret("1")).key == key.key) }
    }

    @Test func `takes no long secret of another key, no password as one, and no other key's password`() async throws {
        let keys = try service()
        let (one, two) = (try await keys.create(password: Secret("1")), try await keys.create(password: Secret("2")))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(one.keyID, longSecret: two.longSecret)
            } == .ofWing(.badPassword))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(one.keyID, longSecret: Secret("1"))
            } == .ofWing(.badPassword))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(one.keyID, password: one.longSecret)
            } == .ofWing(.badPassword))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(one.keyID, password: Secret("2"))
            } == .ofWing(.badPassword))
        // A wrong long secret counts for nothing, so there is one more try.
        #expect(try await keys.unlock(one.keyID, password: Secret("1")).key == one.key)
    }

    @Test func `is locked by the third wrong password, for the right one and the long secret too`() async throws {
        let keys = try service()
        let key = try await keys.create(password: Secret("1234"))
        var seen: [ServiceError?] = []
        for password in ["1", "2", "3", "1234"] {
            seen.append(
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, password: Secret(password))
                })
        }
        seen.append(
            await error { () async throws(ServiceError) in
                try await keys.unlock(key.keyID, longSecret: key.longSecret)
            })
        #expect(
            seen == [
                .ofWing(.badPassword), .ofWing(.badPassword), .ofWing(.keyLocked), .ofWing(.keyLocked),
                .ofWing(.keyLocked),
            ])
    }

    @Test(arguments: ["", "x", "6f1a0e4bd2c94f7f8f6b0f35d9b3a1c2", "6F1A0E4BD2C94F7F8F6B0F35D9B3A1C2"])
    func `knows no key of another name`(name: String) async throws {
        let keys = try service()
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(name, password: Secret("1"))
            } == .ofWing(.keyMissing))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(name, longSecret: Secret("1"))
            } == .ofWing(.keyMissing))
    }

    @Test func `keeps opening what was made at another cost`() async throws {
        let made = try await service(try Self.hashing(cost: 2)).create(password: Secret("1"))
        #expect(
            try await service(try Self.hashing(cost: 4)).unlock(made.keyID, password: Secret("1")).key
                == made.key)
    }

    @Test func `judges three of a thousand wrong passwords at once`() async throws {
        let keys = try service()
        let key = try await keys.create(password: Secret("1234"))
        let seen = await crowd(1000) { number in
            await error { () async throws(ServiceError) in
                try await keys.unlock(key.keyID, password: Secret("wrong \(number)"))
            }
        }
        #expect(seen.filter { $0 == .ofWing(.badPassword) }.count == 2)
        #expect(seen.filter { $0 == .ofWing(.keyLocked) }.count == 998)
        #expect(try await stage.repository.auditEvents(after: 0, limit: .max).map(\.kind) == [.unlockKeyLocked])
    }

    @Test func `judges the right one of a thousand only before the third wrong one`() async throws {
        let keys = try service()
        for place in [0, 1, 2, 500, 999] {
            let key = try await keys.create(password: Secret("1234"))
            let seen = await crowd(1000) { number in
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, password: Secret(number == place ? "1234" : "wrong"))
                }
            }
            let wrong = seen.filter { $0 == .ofWing(.badPassword) }.count
            #expect(seen[place] == nil || seen[place] == .ofWing(.keyLocked))
            #expect(seen[place] == nil ? (2...4).contains(wrong) : wrong == 2, "\(wrong)")
        }
    }

    @Test func `turns away who does not fit into the line, and counts nothing of it`() async throws {
        let hashing = try Self.hashing(places: 1, waiting: 2)
        let keys = try service(hashing)
        let key = try await keys.create(password: Secret("1234"))
        try await hashing.enter(.sample)
        let waiting = Task {
            await crowd(2) { _ in
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, password: Secret("wrong"))
                }
            }
        }
        try await eventually("two that wait") { hashing.waiting >= 2 }
        for _ in 0..<5 {
            #expect(
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, password: Secret("wrong"))
                } == .overloaded)
        }
        // Neither needs a hash.
        #expect(try await keys.unlock(key.keyID, longSecret: key.longSecret).key == key.key)
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock("x", password: Secret("1"))
            } == .ofWing(.keyMissing))
        hashing.leave(.sample)
        #expect(await waiting.value == [.ofWing(.badPassword), .ofWing(.badPassword)])
        #expect(try await keys.unlock(key.keyID, password: Secret("1234")).key == key.key)
    }

    @Test func `serves others while a crowd asks again and again with one key's right password`() async throws {
        let hashing = try Self.hashing(places: 1, waiting: 64)
        let keys = try service(hashing)
        let popular = try await keys.create(password: Secret("1234"))
        var others: [UnlockedKey] = []
        for _ in 0..<40 { others.append(try await keys.create(password: Secret("1"))) }
        try await hashing.enter(.sample)
        let flood = Task { [popular] in
            await crowd(300) { _ in
                await error { () async throws(ServiceError) in
                    try await keys.unlock(popular.keyID, password: Secret("1234"))
                }
            }
        }
        try await eventually("a full line") { hashing.waiting >= 64 }
        let asked = Task { [others] in
            await crowd(40) { number in
                await error { () async throws(ServiceError) in
                    try await keys.unlock(others[number].keyID, password: Secret("1"))
                }
            }
        }
        hashing.leave(.sample)
        #expect(await asked.value == Array(repeating: nil, count: 40))
        let answers = await flood.value
        #expect(answers.contains(nil) && answers.allSatisfy { $0 == nil || $0 == .overloaded })
    }

    @Test func `revokes a key for who has its password or its long secret, and for nobody else`() async throws {
        let keys = try service()
        let made = [try await keys.create(password: Secret("1")), try await keys.create(password: Secret("1"))]
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(made[0].keyID, password: Secret("2"), for: .revoking, by: .sample)
            } == .ofWing(.badPassword))
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(made[1].keyID, longSecret: Secret("2"), for: .revoking, by: .sample)
            } == .ofWing(.badPassword))
        for key in made { _ = try await keys.unlock(key.keyID, password: Secret("1")) }
        _ = try await keys.unlock(made[0].keyID, password: Secret("1"), for: .revoking, by: .sample)
        _ = try await keys.unlock(made[1].keyID, longSecret: made[1].longSecret, for: .revoking, by: .sample)
        for key in made {
            #expect(
                await error { () async throws(ServiceError) in
                    try await keys.unlock(key.keyID, longSecret: key.longSecret)
                } == .ofWing(.keyMissing))
        }
        let trail = try await stage.repository.auditEvents(after: 0, limit: .max)
        #expect(trail.map(\.kind) == [.unlockKeyRevoked, .unlockKeyRevoked])
    }

    @Test func `makes only so many keys in a day for one address, and others' are their own`() async throws {
        let keys = try service(keysPerDay: 3)
        for _ in 0..<3 { _ = try await keys.create(password: Secret("1")) }
        let limited = await error { () async throws(ServiceError) in try await keys.create(password: Secret("1")) }
        #expect(limited == .rateLimited(.keysPerDay, retryAfterSeconds: 86_400))
        // Another instance counts in the same store.
        let other = try service(keysPerDay: 3)
        #expect(
            await error { () async throws(ServiceError) in
                try await other.create(password: Secret("1"))
            } == limited)
        _ = try await keys.create(password: Secret("1"), for: .sample(IPAddress(v4: 2)))
    }

    @Test func `refuses a locked key without a hash, also when its turn comes`() async throws {
        let hashing = try Self.hashing(places: 1, waiting: 2)
        let keys = try service(hashing)
        let key = try await keys.create(password: Secret("1234"))
        try await hashing.enter(.sample)
        let late = Task {
            await error { () async throws(ServiceError) in try await keys.unlock(key.keyID, password: Secret("1234")) }
        }
        try await eventually("one that waits") { hashing.waiting >= 1 }
        let id = try #require(UnlockKeyID(text: key.keyID))
        for _ in 0..<3 {
            _ = try await UnlockKeys(stage.repository).settle(id, .password(isRight: false), now: SigningProvider.now)
        }
        // The place is taken still, so that a hash would wait for ever.
        #expect(
            await error { () async throws(ServiceError) in
                try await keys.unlock(key.keyID, password: Secret("1234"))
            } == .ofWing(.keyLocked))
        hashing.leave(.sample)
        #expect(await late.value == .ofWing(.keyLocked))
    }

    @Test func `says that a key can't be made, and tells of no outcome that is not counted`() async throws {
        let keys = try service()
        let key = try await keys.create(password: Secret("1"))
        await stage.repository.close()
        #expect(
            await error { () async throws(ServiceError) in try await keys.create(password: Secret("1")) }
                == .ofWing(.unableToCreateKey.because(.closed)))
        #expect(
            await error { () async throws(ServiceError) in try await keys.unlock(key.keyID, password: Secret("1")) }
                == .storageUnavailable(.closed))
    }

    @Test func `prints nothing of a key`() async throws {
        let key = try await service().create(password: Secret("the-password"))
        var dumped = ""
        dump(key, to: &dumped)
        for text in [dumped, "\(key)", String(reflecting: key)] {
            for secret in [key.keyID, key.longSecret.revealedText, "the-password"] { #expect(!text.contains(secret)) }
        }
    }

    /// What becomes of so many at once, in their order.
    private func crowd<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) async -> Value) async -> [Value]
    {
        await withTaskGroup(of: (Int, Value).self) { group in
            for number in 0..<count { group.addTask { (number, await body(number)) } }
            var values: [(Int, Value)] = []
            for await value in group { values.append(value) }
            return values.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension FairLine.Turn {
    static let sample = FairLine.Turn(key: [0], address: [0])
}

extension KeyService.Caller {
    static let sample = sample(IPAddress(v4: 1))

    static func sample(_ address: IPAddress, _ user: UserID? = nil) -> KeyService.Caller {
        KeyService.Caller(address: address, lane: Array("\(address)".utf8), user: user)
    }
}

extension KeyService {
    func create(password: Secret) async throws(ServiceError) -> UnlockedKey {
        try await create(password: password, for: .sample)
    }

    func unlock(_ keyID: String, password: Secret) async throws(ServiceError) -> UnlockedKey {
        try await unlock(keyID, password: password, by: .sample)
    }

    func unlock(_ keyID: String, longSecret: Secret) async throws(ServiceError) -> UnlockedKey {
        try await unlock(keyID, longSecret: longSecret, by: .sample)
    }
}
