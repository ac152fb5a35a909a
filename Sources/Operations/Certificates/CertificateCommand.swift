import ArgumentParser
import Composition
import JSON
import Settings
internal import System
import TLS
import Wings

/// `gatehouse certificate …`.
struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Look at the certificates that HTTPS is served under.",
        subcommands: [Check.self])

    /// Looks at what the files hold.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say for whom and until when the configured certificates are, and what is wrong with them.",
            discussion: """
                Exits 1 when one is over, not valid yet, or ends within --days; when a file can't be read, or a key is \
                not its certificate's; and when none is configured.
                """)

        @Option(help: "How many days a certificate must last.")
        var days = 0
        @OptionGroup var report: ReportOptions
        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let settings = try options.settings()
            let named =
                settings.http.certificates.map { ("http", $0) } + settings.admin.certificates.map { ("admin", $0) }
            if named.isEmpty {
                throw StoreOptions.fail("no certificate is configured: http.tlsCertificateFile names one")
            }
            let now = WallClock.now.seconds
            let looks = try named.map { try Look(listener: $0, $1, now: now, days: days) }
            report.write(
                ["certificates": .array(looks.map(\.document))], looks.map { $0.text + "\n" }.joined())
            if !looks.allSatisfy(\.isGood) { throw ExitCode(1) }
        }
    }
}

/// One certificate, as it is at a moment.
private struct Look {
    private static let secondsPerDay: Int64 = 86_400

    let listener: String
    let file: String
    let certificate: ServerCertificate
    let now: Int64
    let days: Int

    init(listener: String, _ files: CertificateFiles, now: Int64, days: Int) throws {
        (self.listener, file, self.now, self.days) = (listener, files.certificateFile, now, days)
        do {
            certificate = try ServerCertificate(
                chain: try Settings.bytes(of: files.certificateFile), key: try Settings.bytes(of: files.keyFile))
        } catch {
            // The configuration has been read with the same files a moment ago.
            throw StoreOptions.fail("\(files.certificateFile) or \(files.keyFile) has just changed: \(error)")
        }
    }

    private var daysLeft: Int64 { (certificate.notAfter - now) / Self.secondsPerDay }

    private var fault: String? {
        if certificate.notBefore > now { return "is not valid yet" }
        if certificate.notAfter <= now { return "is over" }
        return daysLeft < days ? "ends in \(daysLeft) days, and is to last \(days)" : nil
    }

    var isGood: Bool { fault == nil }

    var text: String {
        let names = certificate.names.isEmpty ? "no name" : certificate.names.joined(separator: ", ")
        let (from, until) = (CalendarTime.rfc3339(certificate.notBefore), CalendarTime.rfc3339(certificate.notAfter))
        return "\(listener)  \(file)  for \(names)  from \(from) until \(until)  \(fault ?? "\(daysLeft) days left")"
    }

    var document: JSONValue {
        [
            "listener": .string(listener), "file": .string(file),
            "names": .array(certificate.names.map { .string($0) }),
            "not_before": .integer(certificate.notBefore), "not_after": .integer(certificate.notAfter),
            "fault": fault.map { .string($0) } ?? .null,
        ]
    }
}
