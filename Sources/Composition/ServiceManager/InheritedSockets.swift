import HTTPServer

/// The listening sockets that a service manager has opened for this process (`sd_listen_fds(3)`), each with the name of
/// the listener that it is for: a restart then refuses nobody, since connections wait in them.
package struct InheritedSockets: Sendable {
    /// Which of our listeners takes a socket, as `FileDescriptorName=` calls it.
    package enum Listener: String, CaseIterable, Sendable { case http, admin, probes, redirect }

    /// Why they can't be served.
    package enum Fault: Error, CustomStringConvertible {
        /// A name that is no listener's, where there are several sockets.
        case name(String)
        /// The variables contradict each other.
        case count(descriptors: String, names: Int)
        /// A socket for a listener that the configuration does without.
        case unused(Listener)

        package var description: String {
            let names = Listener.allCases.map(\.rawValue).joined(separator: ", ")
            return switch self {
            case .name(let found): "a socket is called \"\(found)\"; FileDescriptorName= is to be one of \(names)"
            case .count(let descriptors, let names):
                "LISTEN_FDS is \"\(descriptors)\" beside \(names) names in LISTEN_FDNAMES; it is to be their count"
            case .unused(.redirect): "a socket is called redirect, and http.redirectPort is not set"
            case .unused(let listener): "a socket is called \(listener), and nothing listens under that name"
            }
        }
    }

    package static let none = InheritedSockets(descriptors: [:])
    private static let first: Int32 = 3

    private let descriptors: [Listener: [Int32]]

    private init(descriptors: [Listener: [Int32]]) {
        self.descriptors = descriptors
    }

    /// - Parameter process: the process's own number: sockets that were meant for another one are passed over.
    init(_ environment: [String: String], process: Int32) throws(Fault) {
        guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"] else {
            self = .none
            return
        }
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard let count = Int32(text), count >= 0, names.isEmpty || names.count == Int(count) else {
            throw .count(descriptors: text, names: names.count)
        }
        var descriptors: [Listener: [Int32]] = [:]
        for number in 0..<count {
            let name = names.isEmpty ? "" : String(names[Int(number)])
            // The only one needs no name: by default it has that of the unit, whatever that is.
            guard let listener = Listener(rawValue: name) ?? (count == 1 ? .http : nil) else { throw .name(name) }
            descriptors[listener, default: []].append(Self.first + number)
        }
        self.init(descriptors: descriptors)
    }

    /// Where a listener listens: at what was opened for it, or else where the configuration says.
    func place(of listener: Listener, host: String, port: UInt16) -> ListeningPlace {
        descriptors[listener].map { .inherited($0) } ?? .bound(host: host, port: port)
    }

    /// Connections would wait for ever in a socket that nobody serves.
    func refuse(_ listener: Listener) throws(StartError) {
        if descriptors[listener] != nil { throw .inheritedSockets(.unused(listener)) }
    }
}
