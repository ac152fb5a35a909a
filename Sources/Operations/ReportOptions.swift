import ArgumentParser
import Composition
import JSON

/// How a command reports what it did.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Report as JSON on standard output.")
    var json = false

    /// Writes it for programs or for people.
    func write(_ document: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
        if json { StandardOutput.write(document()) } else { StandardOutput.write(text()) }
    }
}
