import Accounts
import Crypto
import Foundation
import GatehouseTesting
import HTTPTesting
import JOSE
import JSON
import Sealing
import SimulatedCarriers
import Syntax
import Testing
import Wings

@testable import AccountsSQL
@testable import AccountsSQLite
@testable import Composition
@testable import Operations

@Suite struct `The keys command change-master` {
    /// What somebody has who took the database and its master key.
    private struct Loot {
        let sealer: any Sealer
        let signingKey: PrivateKey
        let refreshKey: SecretKey

        /// Copies the database of a server that is stopped.
        init(of server: OperatedServer) async throws {
            let copy = server.folder.appending(path: "stolen-\(UUID().uuidString).db").path
            try FileManager.default.copyItem(atPath: server.database, toPath: copy)
            let masterKey = try MasterKey.load(path: server.masterKey, madeWith: nil)
            let unlocker = KeyRing.unlocker(masterKey: masterKey, now: 0)
            let store = try await SQLiteAccounts.open(
                SQLiteSettings(path: copy, access: .besideServer, tables: try StoreTables(of: Wing.all)), now: 0,
                unlockKeyRing: unlocker)
            sealer = try unlocker(try await store.keyRing()).sealer
            let key = try #require(try await store.signingKeys().first { $0.entry.purpose == .session })
            signingKey = try PrivateKey(pem: Secret(key.privateKey))
            refreshKey = try #require(try await store.secretKeys(for: .refresh).first)
            await store.close()
        }

        /// An access token like that one, which another session has.
        func forged(after token: String) throws -> String {
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            return try JWTSigner(key: signingKey, algorithm: .es256, type: "at+jwt").sign(payload)
        }

        /// The first refresh token of the session that has that access token, under the key's own number and those to
        /// come.
        func forgedRefreshTokens(after token: String) throws -> [String] {
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            let claims = try JSONValue(parsing: payload)
            let (user, session) = (try #require(claims["sub"]?.string), try #require(claims["sid"]?.string))
            let text = #"{"sub":"\#(user)","uid":"1","sid":"\#(session)","gen":1,"iat":1,"exp":9999999999}"#
            return (refreshKey.number..<refreshKey.number + 12).map {
                KeyedJWT.sign(
                    Array(text.utf8).span, type: "rt+jwt", keyID: String($0), key: refreshKey.bytes)
            }
        }

        /// How many values of the database it opens, and how many there are.
        func opened(of server: OperatedServer) throws -> (opened: Int, all: Int) {
            let connection = try SQLiteConnection(path: server.database, isWritable: false)
            let all = try StoreTables(of: Wing.all).sealed.flatMap {
                try $0.page(connection, after: $0.start, limit: 1000)
            }
            return (all.count { (try? sealer.open($0.sealed, for: $0.context)) != nil }, all.count)
        }
    }

    private static func take(_ file: String, inPlaceOf place: String) throws {
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.moveItem(atPath: file, toPath: place)
    }

    private static func dataKeys(_ server: OperatedServer) async throws -> Int? {
        try await server.run("keys", "list", "--json").json["data_keys"]?.array?.count
    }

    @Test func `puts the store under another key, and everybody stays signed in`() async throws {
        try await OperatedServer.with { server in
            let signedIn = try await server.signIn("ada")
            let token = try #require(signedIn["token"]?.string)
            let refresh = try #require(signedIn["refresh_token"]?.string)
            let file = server.folder.appending(path: "new.key").path
            let early = try await server.run("keys", "change-master", "--new-key-file", file)
            #expect(early.status == 1)
            #expect(early.errors.contains("stop it first"), "\(early.errors)")
            #expect(!FileManager.default.fileExists(atPath: file))

            try await server.stop()
            let loot = try await Loot(of: server)
            let before = try loot.opened(of: server)
            #expect(before.opened == before.all && before.all >= 4)
            let changed = try await server.run("keys", "change-master", "--new-key-file", file, "--json")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(changed.json["resumed"] == false)
            #expect(changed.json["sessions_ended"] == 0)
            // One more: beside the new key of refresh tokens the one stays that has signed those that are out.
            #expect(try loot.opened(of: server) == (0, before.all + 1), "the old keys open what is new")
            let closed = try await server.run("users", "list")
            #expect(closed.errors.contains("the master key does not open the database"), "\(closed.errors)")

            try Self.take(file, inPlaceOf: server.masterKey)
            #expect(try await Self.dataKeys(server) == 1)
            #expect(try await server.run("store", "check").status == 0)
            try await server.start()
            #expect(try await server.status(bearer: token) == 200)
            #expect(try await server.refresh(refresh).status == 200)
            #expect(try await server.signIn("ada").status == 200)
            // A thief of the old keys can still sign: only --leaked ends that.
            #expect(try await server.status(bearer: loot.forged(after: token)) == 200)
        }
    }

    @Test func `leaves nothing to a thief of the old key and the database, when told that they leaked`() async throws {
        try await OperatedServer.with { server in
            let signedIn = try await server.signIn("ada")
            let token = try #require(signedIn["token"]?.string)
            let refresh = try #require(signedIn["refresh_token"]?.string)
            let published = try await server.publishedKeys()
            try await server.stop()
            let loot = try await Loot(of: server)
            let file = server.folder.appending(path: "new.key").path
            let changed = try await server.run("keys", "change-master", "--leaked", "--new-key-file", file, "--json")
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(changed.json["sessions_ended"] == 1)
            #expect(try loot.opened(of: server).opened == 0)
            try Self.take(file, inPlaceOf: server.masterKey)
            try await server.start()
            #expect(try await server.status(bearer: token) == 401)
            #expect(try await server.refresh(refresh)["error"] == "invalid_grant")
            #expect(try await Set(server.publishedKeys()).isDisjoint(with: published))
            // Not in the name of a session that lives, either.
            let fresh = try #require(try await server.signIn("grace")["token"]?.string)
            #expect(try await server.status(bearer: fresh) == 200)
            #expect(try await server.status(bearer: loot.forged(after: fresh)) == 401)
            for forged in try loot.forgedRefreshTokens(after: fresh) {
                #expect(try await server.refresh(forged)["error"] == "invalid_grant")
            }
            #expect(try await server.status(bearer: fresh) == 200)
        }
    }

    @Test func `finishes what was interrupted, and does what a leak takes where that was not done`() async throws {
        try await OperatedServer.with { server in
            _ = try await server.signIn("ada")
            try await server.stop()
            let file = server.folder.appending(path: "new.key").path
            let (old, new) = (
                try MasterKey.load(path: server.masterKey, madeWith: nil), try MasterKey.loadOrMake(path: file)
            )
            let store = try await SQLiteAccounts.open(
                SQLiteSettings(path: server.database, access: .insteadOfServer, tables: try StoreTables(of: Wing.all)),
                now: 1,
                unlockKeyRing: KeyRing.unlocker(masterKey: old, now: 1))
            // As if the command had been killed after its transaction.
            _ = try await store.changeMasterKey(
                MasterKeyChange(
                    rewrap: KeyRing.rewrapper(from: old, to: new), makeDataKey: KeyRing.maker(masterKey: new, now: 1),
                    unlock: KeyRing.unlocker(masterKey: new, now: 1), replacements: nil, now: 1))
            await store.close()

            let resumed = try await server.run("keys", "change-master", "--leaked", "--new-key-file", file, "--json")
            #expect(resumed.status == 0, "\(resumed.errors)")
            #expect(resumed.json["resumed"] == true)
            #expect(resumed.json["sessions_ended"] == 1)
            try Self.take(file, inPlaceOf: server.masterKey)
            #expect(try await Self.dataKeys(server) == 1)
            #expect(try await server.run("store", "check").status == 0)
        }
    }

    @Test func `names what is wrong with the new key, and changes nothing`() async throws {
        try await OperatedServer.with { server in
            try await server.stop()
            let same = try await server.run("keys", "change-master", "--leaked", "--new-key-file", server.masterKey)
            #expect(same.status == 1)
            #expect(same.errors.contains("in use already"), "\(same.errors)")
            let garbage = server.folder.appending(path: "garbage.key").path
            try Data("no key".utf8).write(to: URL(filePath: garbage))
            let refused = try await server.run("keys", "change-master", "--new-key-file", garbage)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("does not hold 32 bytes"), "\(refused.errors)")
            // The database is under neither of two keys.
            let (first, second) = (
                server.folder.appending(path: "a.key").path, server.folder.appending(path: "b.key").path
            )
            for path in [first, second] { _ = try MasterKey.loadOrMake(path: path) }
            try Self.take(first, inPlaceOf: server.masterKey)
            let neither = try await server.run("keys", "change-master", "--new-key-file", second)
            #expect(neither.status == 1)
            #expect(neither.errors.contains("neither"), "\(neither.errors)")
        }
    }

    @Test func `the keys command change-master is finished by a second run wherever it was killed`() async throws {
        try await OperatedServer.with { server in
            _ = try await server.signIn("ada")
            try await server.stop()
            let users = try server.gatehouse.write(
                (0..<3000).map { server.gatehouse.line("s\($0)", more: #","profile":{"name":"Jane"}"#) })
            let imported = try await server.run("store", "import", users)
            #expect(imported.status == 0, "\(imported.errors)")
            for round in 0..<5 {
                let file = server.folder.appending(path: "new\(round).key").path
                let killed = try server.launch("keys", "change-master", "--new-key-file", file)
                // Some of the way, wherever that is: before, in, or after the transaction.
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...600)))
                killed.signal(SIGKILL)
                await killed.ended()
                let finished = try await server.run("keys", "change-master", "--new-key-file", file)
                #expect(finished.status == 0, "\(finished.errors)")
                try Self.take(file, inPlaceOf: server.masterKey)
                #expect(try await Self.dataKeys(server) == 1)
                let checked = try await server.run("store", "check")
                #expect(checked.status == 0, "\(checked.everything)")
            }
            try await server.start()
            #expect(try await server.signIn("ada")["new_user"] == false)
        }
    }
}
