/// Takes step after step until one finds nothing left to do.
///
/// - Parameters:
///   - patience: how long a busy machine may take.
///   - step: returns how much it did.
/// - Returns: what each step did, up to the zero of the last.
/// - Throws: ``OutOfPatience`` when steps still find something after that time; what a step throws.
@discardableResult
public func untilNothingIsLeft(
    within patience: Duration = .seconds(60), _ step: () async throws -> Int
) async throws -> [Int] {
    let deadline = ContinuousClock.now + patience
    var steps: [Int] = []
    repeat {
        guard ContinuousClock.now < deadline else { throw OutOfPatience(awaited: "a step that finds nothing to do") }
        steps.append(try await step())
    } while steps.last != 0
    return steps
}
