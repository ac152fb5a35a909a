import System

/// Why a file could not be read, or written to on the way.
struct FileFailure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, code: Int32) {
        description = "\(what): \(SystemError(call: "error", code: code))"
    }
}
