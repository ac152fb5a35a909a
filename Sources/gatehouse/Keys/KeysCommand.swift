import ArgumentParser

/// `gatehouse keys …`.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List, rotate and retire the keys that sign our tokens and seal the store.",
        discussion: "All of it works beside a running server, but for change-master.",
        subcommands: [List.self, Rotate.self, Retire.self, ChangeMaster.self])
}
