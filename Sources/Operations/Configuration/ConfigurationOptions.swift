package import ArgumentParser

/// What every command that reads the configuration takes.
package struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: "The YAML configuration file; without it, the environment and the defaults alone count.")
    package var file: String?

    package init() {}
}
