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
    /// Whether servers and connections never stand still.
    let isPrompt: Bool
    /// Set once nothing goes wrong any more.
    let calm = Flag()
    private let owners = Mutex<[Int64: Int]>([:])
    private let restored = Mutex<[Int64]>([])
    private let left = Mutex(0)

    init(simulation: Simulation, story: Story, ports: [UInt16], takesTickets: Bool, isPrompt: Bool) {
        (self.simulation, self.story, self.ports) = (simulation, story, ports)
        (self.takesTickets, self.isPrompt) = (takesTickets, isPrompt)
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

    /// How many have left of whom a provider's tokens were kept.
    var leftWithGrants: Int { left.withLock(\.self) }

    func noteLeaving() { left.withLock { $0 += 1 } }

    /// When the backups were begun that have taken the store's place so far, in nanoseconds of the world.
    var restores: [Int64] { restored.withLock(\.self) }

    func noteRestore(of began: Int64) { restored.withLock { $0.append(began) } }
}
