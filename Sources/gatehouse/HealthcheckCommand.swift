import ArgumentParser
import Settings
import Syntax
import Wings

/// `gatehouse healthcheck`: for container health checks, where no curl is installed.
struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Exit 0 when the server of this configuration answers on this machine, 1 when it does not.")

    private static let timeoutSeconds = 3

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        guard
            case .valid(let settings, _, _) = Settings.loadOfProcess(
                file: options.file, wings: Wing.all.map(\.settings))
        else {
            throw failure("The configuration is not valid; see gatehouse check-config.")
        }
        let http = settings.http
        guard http.port > 0 else {
            throw failure("http.port is 0, so the kernel chose the port; only the log knows which.")
        }
        for host in Self.hosts(of: http.host) {
            guard let status = HealthProbe.status(of: host, port: http.port, seconds: Self.timeoutSeconds) else {
                continue
            }
            guard status == 200 else { throw failure("The server does not answer with 200 but with \(status).") }
            return
        }
        throw failure("The server does not answer.")
    }

    private func failure(_ sentence: String) -> ExitCode {
        StandardError.write(sentence + "\n")
        return ExitCode(1)
    }

    /// Where a server that listens there is reached from this machine. One that listens on every address listens on
    /// loopback; on every IPv6 address, mostly on that of IPv4 too.
    static func hosts(of host: String) -> [String] {
        guard let address = IPAddress(host), address.isUnspecified else { return [host] }
        return address.isIPv6 ? ["::1", "127.0.0.1"] : ["127.0.0.1"]
    }
}
