/// Who is told about which descriptor, by descriptor number.
///
/// The system hands a closed number out again at once, so an event carries the generation of the registration it was
/// asked for: what arrives for an earlier one is dropped.
struct DescriptorTable {
    private struct Slot {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
    }

    private var slots: [Slot] = []
    private(set) var count = 0

    /// Enters a handler and returns the token its events will carry.
    mutating func insert(_ descriptor: Int32, _ handler: any ReadinessHandler) -> UInt64 {
        let index = Int(descriptor)
        while slots.count <= index { slots.append(Slot()) }
        if slots[index].handler == nil { count += 1 }
        slots[index].generation &+= 1
        slots[index].handler = handler
        return token(descriptor)
    }

    /// The token of the present registration.
    func token(_ descriptor: Int32) -> UInt64 {
        UInt64(slots[Int(descriptor)].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    mutating func remove(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard index < slots.count, slots[index].handler != nil else { return }
        slots[index].handler = nil
        count -= 1
    }

    func contains(_ descriptor: Int32) -> Bool {
        Int(descriptor) < slots.count && slots[Int(descriptor)].handler != nil
    }

    func handler(of token: UInt64) -> (any ReadinessHandler)? {
        let index = Int(UInt32(truncatingIfNeeded: token))
        guard index < slots.count, slots[index].generation == UInt32(token >> 32) else { return nil }
        return slots[index].handler
    }
}
