package import ArgumentParser

/// What the command line has for operators, in the order in which its help lists it: a folder of this target each.
package enum OperatorCommands {
    package static let all: [any ParsableCommand.Type] = [
        CheckConfigCommand.self, PrintConfigCommand.self, HealthcheckCommand.self, UsersCommand.self,
        SignInsCommand.self, SessionsCommand.self, AuditCommand.self, KeysCommand.self, StoreCommand.self,
        ProvidersCommand.self, CertificateCommand.self, DoctorCommand.self, IDTokenCommand.self,
    ]
}
