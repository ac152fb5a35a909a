import Accounts
import AccountsSQL
import ArgumentParser
import Composition
import JSON
import Settings
import SignIn
internal import System
import Wings

/// Makes the tables of a database server.
struct StoreMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Make the tables in PostgreSQL, or bring them up to date, beside running instances.",
        discussion: """
            What it changes, instances of the version before go on working with, so that versions can serve side by side: run \
            it first, then replace the instances. A server brings the tables up to date by itself as it starts, and makes \
            them where storage.create says so; with this, the servers' own role in the database needs no right to. A file \
            needs none of it.
            """)

    @OptionGroup var report: ReportOptions
    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        let storage = try configuration.settings().storage
        guard case .postgres = storage.url else {
            throw StoreOptions.fail("storage.url names a file, which a server makes and brings up to date by itself")
        }
        do throws(StartError) {
            let store = try await OpenStore.open(
                storage, tables: StoreTables(of: Wing.all), formerIssuers: .none, for: .migration,
                now: WallClock.now.seconds)
            let place = store.place
            report.write(["up_to_date": .string(place)], "The tables in \(place) are up to date.\n")
            await store.close()
        } catch {
            throw StoreOptions.fail("\(error)")
        }
    }
}
