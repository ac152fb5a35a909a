import Accounts
import AccountsSQL
import AccountsSQLite
import ArgumentParser
import Composition
import JSON
import Sealing
import SignIn
import System

/// Makes new keys.
struct KeysRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make new keys: of access tokens, ID tokens, refresh tokens, challenges, and two of the store.",
        discussion: """
            The new signing key is published first and signs an hour later, so that verifiers of tokens have \
            it by then; --now lets it sign at once. Older keys go on verifying until nothing they signed is valid, \
            and leave by themselves. The new key of refresh tokens signs a minute later. The new data key seals at \
            once, and everything in the store is sealed anew under it, in small steps, while the server runs; a \
            rotation that was interrupted is finished by the server. Likewise the hashes by which users are found by address and number. With --receipts it is only \
            a new key for receipts that is made, and older ones stay until they are retired by hand; with --client \
            only those by which providers know us, which they find at /auth/client-jwks.json. A running server takes \
            the keys over within five seconds.
            """)

    private static let valuesPerStep = 200
    private static let pause = Duration.milliseconds(5)

    @Flag(help: "Let the new signing key sign at once, because the old one has leaked.")
    var now = false
    @Flag(help: "Make a new key that signs receipts, and leave all others alone.")
    var receipts = false
    @Flag(help: "Make new keys that tell providers who we are, and leave all others alone.")
    var client = false
    @OptionGroup var report: ReportOptions
    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard receipts, client else { return }
        throw ValidationError("--receipts and --client leave each other's keys alone; run it twice")
    }

    func run() async throws {
        try await options.withStore { store, _, clock in
            let time = clock.seconds
            let signsFrom = now ? time : time + SessionKeys.publicationSeconds
            guard !receipts else { return try await rotateReceiptKey(store, time: time, signsFrom: signsFrom) }
            guard !client else { return try await rotateClientKeys(store, time: time, signsFrom: signsFrom) }
            // First: the other keys are sealed under it then.
            let dataKey = try await store.repository.rotateDataKey(
                KeyRing.maker(masterKey: store.masterKey, now: time))
            try await store.repository.rotateSecretKey(
                for: .challenge, keepingSeconds: Challenges.keyMemorySeconds, now: time)
            // What they have signed stays good for as long as it was promised.
            try await store.repository.rotateSecretKey(
                for: .refresh, keepingSeconds: RefreshTokens.keyMemorySeconds, now: time)
            // What was hashed under the old one must be found until all of it is hashed anew.
            try await store.repository.rotateSecretKey(for: .contact, keepingSeconds: .max, now: time)
            let kid = try await SessionKeys.rotate(.session, in: store.repository, now: time, signsAtOnce: now)
            let idTokenKid = try await rotateIDTokenKey(store, time: time)
            // What comes takes long, and people are told as it goes.
            if !report.json {
                for kid in [kid, idTokenKid].compactMap(\.self) {
                    StandardOutput.write("signing key \(kid)  signs from \(CalendarTime.rfc3339(signsFrom)) on\n")
                }
                StandardOutput.write("data key \(dataKey)  seals from now on\n")
            }
            let looked = try await reseal(store)
            let indexed = try await indexContacts(store)
            report.write(
                [
                    "kid": .string(kid), "id_token_kid": idTokenKid.map { .string($0) } ?? .null,
                    "signs_from": .integer(signsFrom), "data_key": .integer(dataKey),
                    "values_looked_through": .integer(Int64(looked)), "users_indexed": .integer(Int64(indexed)),
                ],
                """
                \(looked) sealed values were looked through.
                \(indexed) users' addresses and numbers were hashed anew.

                """)
        }
    }

    /// - Returns: nil where no app needs such a key: a server makes the first one.
    private func rotateIDTokenKey(_ store: OpenStore, time: Int64) async throws -> String? {
        let entries = try await store.repository.signingKeyEntries()
        guard entries.contains(where: { $0.purpose == .idToken }) else { return nil }
        return try await SessionKeys.rotate(.idToken, in: store.repository, now: time, signsAtOnce: now)
    }

    private func rotateReceiptKey(_ store: OpenStore, time: Int64, signsFrom: Int64) async throws {
        let kid = try await SessionKeys.rotate(.receipt, in: store.repository, now: time, signsAtOnce: now)
        report.write(
            ["kid": .string(kid), "signs_from": .integer(signsFrom)],
            "receipt key \(kid)  signs from \(CalendarTime.rfc3339(signsFrom)) on\n")
    }

    private func rotateClientKeys(_ store: OpenStore, time: Int64, signsFrom: Int64) async throws {
        let entries = try await store.repository.signingKeyEntries()
        let purposes = SigningKeyEntry.Purpose.ofClient.filter { entries.signing($0, now: time) != nil }
        guard !purposes.isEmpty else {
            throw StoreOptions.fail(
                "no provider is configured for a key of ours: a server makes the first one when it finds one that is")
        }
        var keys: [JSONValue] = []
        for purpose in purposes {
            let kid = try await SessionKeys.rotate(purpose, in: store.repository, now: time, signsAtOnce: now)
            keys.append(["kid": .string(kid), "purpose": .string(purpose.rawValue)])
            guard !report.json else { continue }
            StandardOutput.write("client key \(kid)  signs from \(CalendarTime.rfc3339(signsFrom)) on\n")
        }
        report.write(["keys": .array(keys), "signs_from": .integer(signsFrom)], "")
    }

    private func indexContacts(_ store: OpenStore) async throws -> Int {
        try await StoreWalk(what: "users' addresses and numbers hashed anew", pause: Self.pause) {
            try await store.repository.indexContacts(limit: Self.valuesPerStep)
        }.run()
    }

    private func reseal(_ store: OpenStore) async throws -> Int {
        try await StoreWalk(what: "sealed values looked through", pause: Self.pause) {
            try await store.repository.reseal(limit: Self.valuesPerStep)
        }.run()
    }
}
