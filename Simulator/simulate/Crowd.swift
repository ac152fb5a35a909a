import SimulatedCarriers
import Synchronization

/// What all phones share: the providers, the story, and which account is whose.
final class Crowd: Sendable {
    let simulation: Simulation
    let story: Story
    /// Set once nothing goes wrong any more.
    let calm = Flag()
    private let owners = Mutex<[Int64: Int]>([:])

    init(simulation: Simulation, story: Story) { (self.simulation, self.story) = (simulation, story) }

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
