internal import FoundationEssentials

/// The secrets that a service manager has laid out for this process alone (systemd's `LoadCredential=`): files in the
/// folder that `CREDENTIALS_DIRECTORY` names.
///
/// One that is called as the variable of a secret is what that secret's file is: `GATEHOUSE_ADMIN_TOKEN` stands for
/// `GATEHOUSE_ADMIN_TOKEN_FILE` with its path. Others are somebody else's.
struct ServiceCredentials {
    let folder: String
    let names: [String]

    static var ofProcess: ServiceCredentials {
        guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else {
            return ServiceCredentials(folder: "", names: [])
        }
        return ServiceCredentials(
            folder: folder, names: (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }

    /// - Returns: the variables, and those that name these files. What is set by hand wins.
    func added(to environment: [String: String]) -> [String: String] {
        names.reduce(into: environment) { result, name in
            guard name.hasPrefix(EnvironmentNames.prefix), environment[name] == nil else { return }
            if result[name + "_FILE"] == nil { result[name + "_FILE"] = "\(folder)/\(name)" }
        }
    }
}
