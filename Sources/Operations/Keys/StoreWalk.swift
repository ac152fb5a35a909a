import Composition

/// Something long that is done in small steps, each a transaction of its own.
struct StoreWalk {
    /// What is counted, such as `sealed values looked through`.
    let what: String
    /// Between two steps: a server's writes wait while one is written, and must find a gap.
    let pause: Duration
    /// - Returns: at how much it looked; 0 when there was nothing left to do.
    let step: () async throws -> Int

    /// Walks to the end, and tells how far it is.
    ///
    /// - Returns: at how much it looked altogether.
    func run() async throws -> Int {
        let progress = ProgressReport(what)
        var looked = 0
        while true {
            let count = try await step()
            if count == 0 { return looked }
            looked += count
            progress.tell(looked, of: nil)
            if pause > .zero { try await Task.sleep(for: pause) }
        }
    }
}
