import Crypto
import Foundation
import Glibc
import Sealing
import Testing

@Suite struct `The file of a master key` {
    @Test func `is its owner's alone when it is made, and it is seen when it is not`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/gatehouse-\(UUID().uuidString).key"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(!MasterKey.isReadableByOthers(path: path))
        _ = try MasterKey.loadOrMake(path: path)
        #expect(!MasterKey.isReadableByOthers(path: path))
        for (mode, isSeen) in [(0o640, false), (0o644, true), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(MasterKey.isReadableByOthers(path: path) == isSeen)
        }
    }
}

@Suite struct `The master key's file` {
    /// A folder of its own, gone with the test.
    private final class Folder {
        let path = "/tmp/gatehouse-key-\(UInt64.random(in: 0 ... .max))"

        init() { unsafe mkdir(path, 0o700) }

        var key: String { path + "/master.key" }
        var database: String { path + "/gatehouse.db" }

        func write(_ text: String, to file: String) throws {
            let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let bytes = Array(text.utf8)
            try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        }

        func mode(of file: String) -> mode_t {
            var status = stat()
            unsafe stat(file, &status)
            return status.st_mode & 0o7777
        }

        deinit {
            for file in [key, database, path + "/a/b/master.key"] { unsafe unlink(file) }
            for folder in ["/a/b", "/a", ""] { unsafe rmdir(path + folder) }
        }
    }

    private let folder = Folder()

    private func failure(madeWith database: String?) -> MasterKey.ReadError? {
        do throws(MasterKey.ReadError) {
            _ = try MasterKey.load(path: folder.key, madeWith: database)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the master key's file is made for its owner alone and read back`() throws {
        let made = try MasterKey.load(path: folder.key, madeWith: folder.database)
        #expect(folder.mode(of: folder.key) == 0o600)
        #expect(try MasterKey.load(path: folder.key, madeWith: folder.database) == made)
        #expect(try MasterKey.load(path: folder.key, madeWith: nil) == made)
    }

    @Test func `the master key's file is another one each time it is made`() throws {
        let other = Folder()
        #expect(
            try MasterKey.load(path: folder.key, madeWith: folder.database)
                != MasterKey.load(path: other.key, madeWith: other.database))
    }

    @Test func `the master key's file is made with the folders above it`() throws {
        let path = folder.path + "/a/b/master.key"
        _ = try MasterKey.load(path: path, madeWith: folder.database)
        #expect(folder.mode(of: path) == 0o600)
        #expect(folder.mode(of: folder.path + "/a/b") == 0o700)
    }

    @Test func `the master key's file is not made again once there is a database that needs the lost one`() throws {
        try folder.write("", to: folder.database)
        guard case .lost(folder.key, folder.database) = failure(madeWith: folder.database) else {
            Issue.record("no failure, or another one")
            return
        }
        #expect(unsafe access(folder.key, F_OK) != 0)
    }

    @Test func `the master key's file is not made where it must exist`() {
        guard case .cannotRead(folder.key, _) = failure(madeWith: nil) else {
            Issue.record("no failure, or another one")
            return
        }
        #expect(unsafe access(folder.key, F_OK) != 0)
    }

    @Test func `the master key's file may end with a line end`() throws {
        let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        try folder.write(text, to: folder.key)
        let key = try MasterKey.load(path: folder.key, madeWith: nil)
        for end in ["\n", "\r\n", " \n\n"] {
            try folder.write(text + end, to: folder.key)
            #expect(try MasterKey.load(path: folder.key, madeWith: nil) == key)
        }
        let first = key.secret.withBytes { $0[0] }
        #expect(first == 0)
    }

    @Test(arguments: [
        "", "\n", "secret", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8A",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+", String(repeating: "A", count: 5000),
    ])
    func `the master key's file is refused when it holds no key, and stays as it is`(text: String) throws {
        try folder.write(text, to: folder.key)
        #expect(failure(madeWith: folder.database) == .notAKey(path: folder.key))
    }

    @Test func `the master key's file is never shown when it is refused`() throws {
        try folder.write("my-secret-key-material", to: folder.key)
        let said = try #require(failure(madeWith: nil)).description
        #expect(said == "the master key file \(folder.key) does not hold 32 bytes in base64url")
    }

    @Test func `the master key's file can't be made where a file stands in the way of a folder`() throws {
        try folder.write("", to: folder.path + "/master.key")
        let path = folder.path + "/master.key/master.key"
        #expect(throws: MasterKey.ReadError.self) { try MasterKey.load(path: path, madeWith: folder.database) }
    }

    @Test func `is known for the examples' key, which is nobody's secret`() throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Config/secrets.example/master_key").path
        #expect(MasterKey.isExample(try MasterKey.load(path: example, madeWith: nil)))
        #expect(!MasterKey.isExample(.generate()))
    }
}
