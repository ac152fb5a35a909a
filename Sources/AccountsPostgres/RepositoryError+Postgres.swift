public import Accounts
public import Postgres

extension RepositoryError {
    /// What of the server's or the way's trouble concerns who uses the store.
    init(_ error: PostgresError) {
        // character_not_in_repertoire: of the texts that we have, those with a NUL.
        if case .refused(.other("22021")) = error {
            self = .unstorableText
        } else {
            self = .unavailable(Unavailability(error))
        }
    }
}

extension Unavailability {
    /// What an error of the driver's means to who uses the store.
    public init(_ error: PostgresError) {
        switch error {
        case .refused(let state): self = Unavailability(state)
        case .notConnected(let failure), .away(let failure): self = Unavailability(failure)
        // A caller that waited to its deadline has found no connection. That is no overload, which is refused at once.
        case .lost(.notSent, _): self = .cannotConnect(.lost)
        case .timedOut(.notSent): self = .cannotConnect(.timedOut)
        case .lost(.unknown, _), .timedOut(.unknown): self = .uncertain
        case .overloaded: self = .overloaded
        case .closed: self = .closed
        // A transaction that was over by its deadline, of which nothing was committed.
        case .transactionOver: self = .locked
        case .wrongParameters, .unexpectedResult: self = .corrupt
        }
    }

    init(_ failure: ConnectFailure) {
        switch failure {
        case .refused(.protocolViolation): self = .settingsRefused
        case .refused(let state): self = Unavailability(state)
        case .nameNotFound: self = .cannotConnect(.nameNotFound)
        case .nobodyThere: self = .cannotConnect(.nobodyThere)
        case .timedOut: self = .cannotConnect(.timedOut)
        case .tlsFailed: self = .cannotConnect(.tlsFailed)
        case .passwordMissing: self = .cannotConnect(.passwordMissing)
        case .otherRole: self = .cannotConnect(.otherRole)
        case .unreachable: self = .cannotConnect(.unreachable)
        case .notAdmitted: self = .behind(nil)
        }
    }

    init(_ state: SQLState) {
        switch state {
        case .serializationFailure, .deadlock, .uniqueViolation, .canceled, .lockNotAvailable: self = .locked
        case .readOnly: self = .readOnly
        case .adminShutdown: self = .cannotConnect(.lost)
        case .tooManyConnections: self = .tooManyConnections
        case .diskFull: self = .diskFull
        case .unknownStatement: self = .server(sqlState: "26000")
        case .duplicateStatement: self = .server(sqlState: "42P05")
        case .protocolViolation: self = .server(sqlState: "08P01")
        // Class 53: what the server has too little of; class 58: its own files; class XX: what must not be.
        case .other(let code) where code == "53200": self = .outOfMemory
        case .other(let code) where code.hasPrefix("58"): self = .inputOutput
        case .other(let code) where code.hasPrefix("XX"): self = .corrupt
        case .other(let code): self = .server(sqlState: code)
        }
    }
}
