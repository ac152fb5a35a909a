internal import AccountsSQLite
internal import Dispatch
internal import EventLoop

/// Runs every benchmark, or those whose names are given, on an event loop as the server does.
@main
struct Main {
    static func main() throws {
        let chosen = Set(CommandLine.arguments.dropFirst())
        let loop = try EventLoop(label: "benchmarks")
        loop.start()
        // Not an asynchronous main: that parks the first thread in a system call of which valgrind 3.19 dies.
        let finished = DispatchSemaphore(value: 0)
        Task(executorPreference: loop) {
            do {
                try await run(chosen, on: loop)
            } catch {
                fatalError("a benchmark failed: \(error)")
            }
            finished.signal()
        }
        finished.wait()
        loop.stop()
    }

    private static func run(_ chosen: Set<String>, on loop: EventLoop) async throws {
        let folder = try TemporaryFolder()
        let carrier = try Carrier()
        let repository = try await openRepository(in: folder)
        let api = try await SignInBenchmarks.makeAPI(carrier, repository)
        let benchmarks =
            HTTPBenchmarks.all + (try await ConnectionBenchmarks.all(api)) + (try TokenBenchmarks.all(carrier))
            + (try await SignInBenchmarks.all(carrier, repository, api, on: loop))
        for benchmark in benchmarks where chosen.isEmpty || chosen.contains(benchmark.name) {
            try await benchmark.measure()
        }
        await repository.close()
        folder.remove()
    }
}
