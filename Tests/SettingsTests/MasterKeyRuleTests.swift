import Settings
import Testing
import Wings

@Suite struct `Rules of the master key` {
    private static let masterKey = String(repeating: "Ab9_", count: 10) + "-xQ"

    @Test(arguments: ["", "\n", "\r\n"]) func `a master key holds`(end: String) {
        let files = ["data/gatehouse.db.key": Self.masterKey + end, "key": Self.masterKey + end]
        #expect(load(least, files: files).faults.isEmpty)
        #expect(load(least + "storage: {masterKeyFile: key}\n", files: files).faults.isEmpty)
    }

    @Test(arguments: [
        "", "garbage", masterKey + "A", String(masterKey.dropLast()), masterKey.replacing("_", with: "/"),
        String(masterKey.dropLast()) + "R", masterKey + "\n" + masterKey,
    ])
    func `a file that holds no master key is a fault that shows nothing of it`(content: String) {
        for (yaml, path) in [(least, "data/gatehouse.db.key"), (least + "storage: {masterKeyFile: key}\n", "key")] {
            let faults = load(yaml, files: [path: content]).faults
            #expect(faults.map(\.kind) == [.value])
            #expect(faults.map(\.key) == ["storage.masterKeyFile"])
            #expect(faults.map(\.value) == [path])
        }
    }

    @Test func `a master key's file that is named must be there; the one beside the database is made`() {
        #expect(load(least).faults.isEmpty)
        let faults = load(least + "storage: {masterKeyFile: nowhere}\n").faults
        #expect(faults.map(\.kind) == [.unreadableFile])
        #expect(faults.map(\.key) == ["storage.masterKeyFile"])
    }

    @Test func `a master key's file that can't be read is a fault, wherever it is`() {
        let loaded = Settings.load(
            file: "gatehouse.yaml", environment: ["GATEHOUSE_PROVIDERS": "zenkey"], wings: Wing.all.map(\.settings)
        ) {
            path throws(SettingsFileError) in
            guard path == "gatehouse.yaml" else { throw .notPermitted }
            return Array(least.utf8)
        }
        #expect(loaded.faults.map(\.key) == ["storage.masterKeyFile"])
        #expect(loaded.faults.map(\.kind) == [.unreadableFile])
    }
}
