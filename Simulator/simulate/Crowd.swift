import SimulatedCarriers
import Synchronization

/// What all phones share: the providers, the story, and which account is whose.
final class Crowd: Sendable {
    let simulation: Simulation
    let story: Story
    /// Where the servers listen, of which any may be asked.
    let ports: [UInt16]
    /// Set once nothing goes wrong any more.
    let calm = Flag()
    private let owners = Mutex<[Int64: Int]>([:])

    init(simulation: Simulation, story: Story, ports: [UInt16]) {
        (self.simulation, self.story, self.ports) = (simulation, story, ports)
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
}
