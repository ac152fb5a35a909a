import ArgumentParser
import EventLoop
import HTTPClient
import Settings

/// `gatehouse healthcheck`: for container health checks, where no curl is installed.
struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Exit 0 when the server of this configuration answers on this machine, 1 when it does not.")

    private static let timeout = Duration.seconds(3)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        guard case .valid(let settings, _, _) = Settings.loadOfProcess(file: options.file) else {
            StandardError.write("The configuration is not valid; see gatehouse check-config.\n")
            throw ExitCode(1)
        }
        let status = await Self.status(settings.http)
        guard status == 200 else {
            StandardError.write("The server does not answer\(status.map { " with 200 but with \($0)" } ?? "").\n")
            throw ExitCode(1)
        }
    }

    /// The status of `GET /healthz`; nil when there is no answer.
    private static func status(_ http: Settings.HTTP) async -> Int? {
        // A server that listens on every address listens on loopback.
        let host = ["0.0.0.0", "::", "localhost"].contains(http.host) ? "127.0.0.1" : http.host
        let authority = host.contains(":") ? "[\(host)]" : host
        guard let loop = try? EventLoop(label: "gatehouse.healthcheck"),
            let url = try? EndpointURL("http://\(authority):\(http.port)/healthz", allowLoopbackHTTP: true)
        else { return nil }
        loop.start()
        defer { loop.stop() }
        let client = HTTPClient(loop: loop)
        let policy = OutboundPolicy(
            caFile: nil, allowsPrivateAddresses: true, connectionsPerHost: 1, maximumBodyBytes: 4096,
            connectTimeout: timeout)
        let response = try? await client.send(
            OutboundRequest(
                method: .get, url: url, headers: [], body: [], timeout: timeout, policy: policy,
                finishesWhenCancelled: false))
        await client.shutDown()
        return response?.status
    }
}
