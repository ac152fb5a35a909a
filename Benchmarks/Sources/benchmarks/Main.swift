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
        // A store each for the repository alone and for the whole road, so that no benchmark depends on which others
        // ran.
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        let carrier = try Carrier()
        let repository = try await openRepository(in: folders[0])
        let served = try await openRepository(in: folders[1])
        let api = try await SignInBenchmarks.makeAPI(carrier, served)
        let connection = Connection(loop: loop)
        let benchmarks =
            HTTPBenchmarks.all + (try await ConnectionBenchmarks.all(api))
            + (try await TokenBenchmarks.all(carrier, repository))
            + (try await SignInBenchmarks.all(carrier, repository, api, connection))
            + SessionBenchmarks.all(carrier, api, connection) + MetricsBenchmarks.all + TraceBenchmarks.all
        for benchmark in benchmarks where chosen.isEmpty || chosen.contains(benchmark.name) {
            try await benchmark.measure()
        }
        for store in [repository, served] { await store.close() }
        for folder in folders { folder.remove() }
    }
}
