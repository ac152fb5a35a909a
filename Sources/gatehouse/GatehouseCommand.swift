import ArgumentParser
import Composition
import Operations
import System

/// The command line of `gatehouse`.
@main
struct GatehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "The secure backend behind mobile sign-in: a confidential OpenID Connect client for your apps.",
        discussion: """
            Configure it in YAML, in the environment (GATEHOUSE_HTTP_PORT, GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET) or in \
            secret files (GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET_FILE); the environment wins over the file. Errors go to \
            standard error.
            """,
        version: Version.full,
        subcommands: [ServeCommand.self] + OperatorCommands.all)

    static func main() async {
        // Who may not raise the priority of a thread, as nobody but root may, would find a line about each in the log.
        EnvironmentVariables.setIfMissing("LIBDISPATCH_LOG", to: "NO")
        let words = ProgramArguments.read(otherwise: Array(CommandLine.arguments.dropFirst()))
        if words.first == "help", let unknown = firstUnknown(words.dropFirst()) {
            exit(withError: ValidationError("There is no command \(unknown)."))
        }
        await main(words)
    }

    /// The first word that is no command below those before it. The parser itself shows the help of what it knows, as
    /// if that had been asked for.
    private static func firstUnknown(_ words: some Sequence<String>) -> String? {
        var known = configuration.subcommands
        for word in words where !word.hasPrefix("-") {
            guard let command = known.first(where: { $0._commandName == word }) else { return word }
            known = command.configuration.subcommands
        }
        return nil
    }
}
