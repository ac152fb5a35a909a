import ArgumentParser
import Composition

/// `gatehouse audit …`.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Take the audit trail out.",
        discussion: "It works beside a running server.", subcommands: [AuditExport.self])
}
