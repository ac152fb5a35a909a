internal import System

/// The version of this build, as `--version` and the start of the log tell it.
package enum Version {
    package static let text = "0.1.0"

    /// With what it was built from, where that is known.
    package static var full: String { Build.revision == "unknown" ? text : "\(text) (\(Build.revision))" }
}
