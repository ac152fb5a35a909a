import ArgumentParser
import System

/// The command line of `gatehouse`.
@main
struct GatehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "The secure backend behind mobile sign-in: a confidential OpenID Connect client for your apps.",
        discussion: """
            Configure it in YAML, in the environment (HTTP_PORT, PROVIDER_ZENKEY_CLIENT_SECRET) or in secret files \
            (PROVIDER_ZENKEY_CLIENT_SECRET_FILE); the environment wins over the file. Errors go to standard error.
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, CheckConfigCommand.self, PrintConfigCommand.self, HealthcheckCommand.self,
            UsersCommand.self, SessionsCommand.self, AuditCommand.self, KeysCommand.self, StoreCommand.self,
            ProvidersCommand.self,
            IDTokenCommand.self,
        ])

    static func main() async {
        await main(ProgramArguments.read(otherwise: Array(CommandLine.arguments.dropFirst())))
    }
}

/// What every command that reads the configuration takes.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: "The YAML configuration file; without it, the environment and the defaults alone count.")
    var file: String?
}

/// The version of this build, as `--version` and the start of the log tell it.
enum Version {
    static let text = "0.1.0"
}
