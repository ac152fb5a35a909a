import Testing

@testable import Settings

@Suite struct `Credentials of a service` {
    private let credentials = ServiceCredentials(
        folder: "/run/credentials/gatehouse.service",
        names: ["GATEHOUSE_ADMIN_TOKEN", "other", "GATEHOUSE_STORAGE_MASTER_KEY"])

    @Test func `are the files of the secrets that they are called after`() {
        #expect(
            credentials.added(to: ["HOME": "/"]) == [
                "HOME": "/",
                "GATEHOUSE_ADMIN_TOKEN_FILE": "/run/credentials/gatehouse.service/GATEHOUSE_ADMIN_TOKEN",
                "GATEHOUSE_STORAGE_MASTER_KEY_FILE": "/run/credentials/gatehouse.service/GATEHOUSE_STORAGE_MASTER_KEY",
            ])
    }

    @Test func `give way to what is set by hand`() {
        let environment = ["GATEHOUSE_ADMIN_TOKEN": "x", "GATEHOUSE_STORAGE_MASTER_KEY_FILE": "/elsewhere"]
        #expect(credentials.added(to: environment) == environment)
    }

    @Test func `are read as files of secrets are`() throws {
        let credentials = ServiceCredentials(folder: "/run/c", names: ["GATEHOUSE_ADMIN_TOKEN"])
        let loaded = Settings.load(
            file: nil, environment: credentials.added(to: ["GATEHOUSE_API_KEYS": String(repeating: "k", count: 32)]),
            wings: []
        ) { path throws(SettingsFileError) in
            guard path == "/run/c/GATEHOUSE_ADMIN_TOKEN" else { throw .notFound }
            return Array(String(repeating: "t", count: 40).utf8)
        }
        switch loaded {
        case .valid(_, let effective, _):
            let token = effective.first { $0.key == "admin.token" || $0.key == "admin.tokenFile" }
            #expect(token != nil)
        case .faulty(let faults, _):
            #expect(
                !faults.contains { "\($0)".contains("ADMIN_TOKEN") || "\($0)".contains("admin.token") }, "\(faults)")
        }
    }
}
