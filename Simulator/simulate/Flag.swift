import CSimulation
import Synchronization

/// Something that comes once, for which a thread of the world waits.
final class Flag: Sendable {
    private static let pause: Int64 = 1_000_000_000

    private let value = Atomic<Bool>(false)

    func set() { value.store(true, ordering: .releasing) }

    var isSet: Bool { value.load(ordering: .acquiring) }

    func wait() { while !isSet { simulation_sleep(Self.pause) } }
}
