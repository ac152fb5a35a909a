/// The version of this build, as `--version` and the start of the log tell it.
enum Version {
    static let text = "0.1.0"
}
