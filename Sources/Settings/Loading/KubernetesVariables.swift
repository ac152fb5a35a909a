import Syntax

/// The variables that Kubernetes gives every container of a pod for each service beside it: one called
/// `gatehouse-admin` makes `GATEHOUSE_ADMIN_PORT=tcp://10.0.0.1:8081`, `GATEHOUSE_ADMIN_SERVICE_HOST` and more. They
/// mean nobody's configuration, and must not keep a server from starting because of what a neighbour is called.
enum KubernetesVariables {
    private static let transports = ["tcp", "udp", "sctp"]

    /// Whether a variable is one of a service, by its name and the form that its value always has.
    static func isOne(_ name: String, value: String) -> Bool {
        if transports.contains(where: { value.hasPrefix($0 + "://") }) {
            return name.hasSuffix("_PORT") || isOfPort(name[...])
        }
        if name.hasSuffix("_SERVICE_HOST") { return IPAddress(value) != nil }
        if name.hasSuffix("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") { return UInt16(digits: value) != nil }
        return ["_PROTO", "_PORT", "_ADDR"].contains { name.hasSuffix($0) && isOfPort(name.dropLast($0.count)) }
    }

    /// Whether a name ends as `ADMIN_PORT_8081_TCP` does.
    private static func isOfPort(_ name: Substring) -> Bool {
        let words = name.split(separator: "_")
        return words.count > 3 && words[words.count - 3] == "PORT" && UInt16(digits: words[words.count - 2]) != nil
            && transports.contains(words[words.count - 1].lowercased())
    }

    /// What there is to say of those that could be taken for ours; of all others nothing.
    ///
    /// - Parameters:
    ///   - variables: variables of services.
    ///   - keys: every key outside the sections with names.
    ///   - prefixes: what the variables of the listed sections start with.
    static func notices(
        _ variables: [String: String], keys: [SettingKey<Settings>], prefixes: [String]
    ) -> [SettingsNotice] {
        guard !variables.isEmpty else { return [] }
        let ours = Set(keys.map { EnvironmentNames.variable($0.path) })
        return variables.keys.sorted().filter { name in
            ours.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }.map { SettingsNotice($0, "is a variable of a Kubernetes service, and ignored") }
    }
}
