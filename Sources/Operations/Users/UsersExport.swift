import Accounts
import ArgumentParser
import Composition
import Providers
import Settings
import SignIn
internal import System
import WebAPI

/// One user's whole record.
struct UsersExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print everything that is kept about a user as one line of JSON.",
        discussion: """
            An opaque reference stands in the place of each subject: those who ask what is kept about them have no use for \
            it, and it opens accounts elsewhere. Moving users to another backend does need the subjects, since \
            nothing else says who signs in; --with-subjects prints them, here and over no network. Such a line is \
            what gatehouse store import takes.
            """)

    @Argument(help: "The user's number.")
    var id: Int64
    @Flag(help: "Print the subjects themselves.")
    var withSubjects = false
    @Flag(help: "Changes nothing: the record is JSON in any case.")
    var json = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.withStore(looksAtSomebody: true) { store, settings, clock in
            let record = try await store.record(of: id, now: clock.seconds)
            try await store.repository.note(
                .userExported, of: record.user.id, withSubjects ? ["subjects"] : [], now: clock.seconds)
            let providers = ProviderRegistry(settings.providers.map { Provider($0) })
            StandardOutput.write(
                UserDocument.export(record, subjects: withSubjects ? .asTheyAre : .asReferences, at: providers))
        }
    }
}
