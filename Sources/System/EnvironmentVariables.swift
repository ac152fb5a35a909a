internal import Glibc

/// The environment of this process, which the C libraries in it read too. It must be changed before there is a second thread.
public enum EnvironmentVariables {
    public static func isSet(_ name: String) -> Bool { unsafe getenv(name) != nil }

    public static func remove(_ name: String) { unsafe unsetenv(name) }

    /// Sets a variable that is not set.
    public static func setIfMissing(_ name: String, to value: String) { _ = unsafe setenv(name, value, 0) }
}
