internal import CMeasurement

/// One thing that is measured.
struct Benchmark {
    let name: String
    /// How often it is done to be measured; a tenth of that, and once at least, beforehand.
    let rounds: Int
    /// How many operations one round is.
    let operationsPerRound: Int
    let round: () async throws -> Void

    init(_ name: String, rounds: Int, operationsPerRound: Int = 1, _ round: @escaping () async throws -> Void) {
        self.name = name
        self.rounds = rounds
        self.operationsPerRound = operationsPerRound
        self.round = round
    }

    /// Does it, and prints one line: name, allocations an operation, nanoseconds an operation. Instructions are
    /// callgrind's to tell.
    func measure() async throws {
        for _ in 0..<max(1, rounds / 10) { try await round() }
        let clock = ContinuousClock()
        let start = clock.now
        let allocations = measurement_allocations()
        measurement_begin()
        for _ in 0..<rounds { try await round() }
        unsafe measurement_end(name)
        let operations = Double(rounds * operationsPerRound)
        let made = Double(measurement_allocations() - allocations) / operations
        let nanoseconds = (clock.now - start) / .nanoseconds(1) / operations
        print("\(name)\t\(rounds * operationsPerRound)\t\(made)\t\(nanoseconds)")
    }
}

/// Stops the program when a benchmark does not do what it claims to measure.
func require(_ holds: Bool, _ sentence: String) {
    // Not a precondition: that says nothing in an optimized build.
    if !holds { fatalError("does not hold: \(sentence)") }
}
