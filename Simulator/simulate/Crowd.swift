import SimulatedCarriers
import Synchronization

/// What all phones share: the providers, the story, and which account is whose.
final class Crowd: Sendable {
    let simulation: Simulation
    let story: Story
    /// Where the servers listen, of which any may be asked.
    let ports: [UInt16]
    /// Whether people register whom nobody knows yet.
    let takesTickets: Bool
    /// Set once nothing goes wrong any more.
    let calm = Flag()
    private let owners = Mutex<[Int64: Int]>([:])
    private let restored = Mutex<[Int64]>([])

    init(simulation: Simulation, story: Story, ports: [UInt16], takesTickets: Bool) {
        (self.simulation, self.story, self.ports, self.takesTickets) = (simulation, story, ports, takesTickets)
    }

    /// Notes whose an account is.
    ///
    /// - Returns: another phone that it belongs to; nil where there is none.
    func owner(of user: Int64, isNow phone: Int) -> Int? {
        owners.withLock { owners in
            if let known = owners[user], known != phone { return known }
            owners[user] = phone
            return nil
        }
    }

    /// When the backups were begun that have taken the store's place so far, in nanoseconds of the world.
    var restores: [Int64] { restored.withLock(\.self) }

    func noteRestore(of began: Int64) { restored.withLock { $0.append(began) } }
}
