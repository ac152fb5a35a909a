import Foundation
import HTTPTesting
import JSON
import Testing

@Suite struct `A store that moves` {
    @Test func `into PostgreSQL and back into a file keeps its users, sessions and keys, and numbers nobody twice`()
        async throws
    {
        try await OperatedServer.with { service in
            try await SharedStore.with { environment in
                let shared = try #require(environment["GATEHOUSE_STORAGE_URL"])
                let file = "file:" + service.database
                let ada = try await service.signIn("ada")
                let grace = try await service.signIn("grace")
                let session = try #require(ada["token"]?.string)
                let published = try await service.publishedKeys()
                let beside = try await service.run("store", "copy", "--from", file, "--to", shared)
                #expect(beside.status == 1)
                #expect(beside.errors.contains("stop it first"), "\(beside.errors)")
                try await service.stop()

                let copied = try await service.run("store", "copy", "--from", file, "--to", shared, "--json")
                #expect(copied.status == 0, "\(copied.errors)")
                #expect(copied.json["users"] == 2)
                let again = try await service.run("store", "copy", "--from", file, "--to", shared)
                #expect(again.status == 1)
                #expect(again.errors.contains("nothing is overwritten"), "\(again.errors)")

                // The master key goes along, as it is.
                var moved = environment
                moved["GATEHOUSE_STORAGE_MASTER_KEY_FILE"] = service.masterKey
                try await service.start(environment: moved)
                #expect(try await service.status(bearer: session) == 200)
                #expect(try await service.publishedKeys() == published)
                let known = try await service.signIn("ada")
                #expect(known["user"]?["user_id"] == ada["user"]?["user_id"])
                let new = try await service.signIn("mary")
                #expect(new["new_user"] == true)
                #expect((new["user"]?["user_id"]?.integer ?? 0) > (grace["user"]?["user_id"]?.integer ?? .max))
                try await service.stop()

                let home = service.folder.appending(path: "home.db").path
                let back = try await service.run(
                    "store", "copy", "--from", shared, "--to", "file:" + home, "--master-key-file", service.masterKey)
                #expect(back.status == 0, "\(back.errors)")
                try await service.start(environment: [
                    "GATEHOUSE_STORAGE_URL": "file:" + home, "GATEHOUSE_STORAGE_MASTER_KEY_FILE": service.masterKey,
                ])
                #expect(try await service.status(bearer: session) == 200)
                #expect(try await service.signIn("mary")["user"]?["user_id"] == new["user"]?["user_id"])
            }
        }
    }

    @Test func `is told what is no place for it, without a word of a password`() async throws {
        try await OperatedServer.with { service in
            try await service.stop()
            let file = "file:" + service.database
            let wrong = try await service.run("store", "copy", "--from", file, "--to", "mysql://app:hunter2@db/users")
            #expect(wrong.status == 1)
            #expect(wrong.errors.contains("--to is neither file:PATH nor postgres://USER@HOST/DATABASE"))
            let unreachable = try await service.run(
                "store", "copy", "--from", file, "--to", "postgres://app:hunter2@127.0.0.1:1/users")
            #expect(unreachable.status == 1)
            #expect(!(wrong.everything + unreachable.everything).contains("hunter2"))
        }
    }
}
