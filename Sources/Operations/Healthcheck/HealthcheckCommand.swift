import ArgumentParser
import Composition
import JSON
import Settings
import Syntax
import Wings

/// `gatehouse healthcheck`: for container health checks, where no curl is installed.
struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Exit 0 when the server of this configuration answers on this machine, 1 when it does not.")

    private static let timeoutSeconds = 3

    @Flag(help: "Ask whether sign-ins can be served (/readyz), at the probes' listener or else at that for operators.")
    var ready = false
    @Flag(help: "Report as JSON on standard output.")
    var json = false
    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        guard
            case .valid(let settings, _, _) = Settings.loadOfProcess(
                file: options.file, wings: Wing.all.map(\.settings))
        else {
            throw failure("The configuration is not valid; see gatehouse check-config.")
        }
        let (host, port, byTLS, key) = listener(settings)
        guard port > 0 else {
            throw failure("\(key) is 0, so the kernel chose the port; only the log knows which.")
        }
        let path = ready ? "/readyz" : "/healthz"
        for host in Self.hosts(of: host) {
            guard
                let status = HealthProbe.status(
                    of: path, at: host, port: port, byTLS: byTLS, seconds: Self.timeoutSeconds)
            else { continue }
            guard status == 200 else {
                throw failure("The server answers \(path) with \(status), where 200 means that all is well.", status)
            }
            if json { StandardOutput.write(["ok": true, "path": .string(path), "status": 200]) }
            return
        }
        throw failure("The server does not answer at \(host), port \(port) (\(key)).")
    }

    private func listener(_ settings: Settings) -> (host: String, port: UInt16, byTLS: Bool, key: String) {
        let (http, admin) = (settings.http, settings.admin)
        guard ready else { return (http.host, http.port, !http.certificates.isEmpty, "http.port") }
        guard let host = settings.probes.host else {
            return (admin.host, admin.port, !admin.certificates.isEmpty, "admin.port")
        }
        return (host, settings.probes.port, false, "probes.port")
    }

    /// - Parameter status: what the server has answered; nil where it has not.
    private func failure(_ sentence: String, _ status: Int? = nil) -> ExitCode {
        if json {
            StandardOutput.write(
                ["ok": false, "status": status.map { .integer(Int64($0)) } ?? .null, "reason": .string(sentence)])
        } else {
            StandardError.write(sentence + "\n")
        }
        return ExitCode(1)
    }

    /// Where a server that listens there is reached from this machine. One that listens on every address listens on
    /// loopback; on every IPv6 address, mostly on that of IPv4 too.
    static func hosts(of host: String) -> [String] {
        guard let address = IPAddress(host), address.isUnspecified else { return [host] }
        return address.isIPv6 ? ["::1", "127.0.0.1"] : ["127.0.0.1"]
    }
}
