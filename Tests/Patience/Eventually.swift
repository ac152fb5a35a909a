/// What a test waited for in vain.
public struct OutOfPatience: Error, CustomStringConvertible {
    public let awaited: String

    public var description: String { "waited in vain for \(awaited)" }
}

/// Waits until a condition holds.
///
/// - Parameters:
///   - awaited: what is waited for, as the failure names it.
///   - patience: how long a busy machine may take.
/// - Throws: ``OutOfPatience`` when it does not hold in time; what the condition throws.
public func eventually(
    _ awaited: String, within patience: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw OutOfPatience(awaited: awaited) }
        try await Task.sleep(for: .milliseconds(5))
    }
}
