internal import CPostgres
import Dispatch
internal import EventLoop

/// Where a server is and how to connect to it: a `postgres://` address or a text of keywords, with everything that libpq
/// understands, several hosts and `target_session_attrs` among it.
public struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
    /// The keywords that were given, in libpq's order.
    private let parameters: [(keyword: String, value: String)]

    /// Why a text is no address. The text may hold a password, so it says no more.
    public struct Fault: Error, Equatable, Sendable {}

    /// - Throws: ``Fault`` for what libpq can't read.
    public init(_ text: String) throws(Fault) {
        guard !text.utf8.contains(0), let options = unsafe PQconninfoParse(text, nil) else { throw Fault() }
        defer { unsafe PQconninfoFree(options) }
        var parameters: [(keyword: String, value: String)] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe parameters.append((String(cString: keyword), String(cString: value)))
            }
            unsafe option += 1
        }
        self.parameters = parameters
    }

    /// The same with a keyword in the place of what it was.
    public func with(_ keyword: String, _ value: String) -> PostgresAddress {
        PostgresAddress(parameters: parameters.filter { $0.keyword != keyword } + [(keyword, value)])
    }

    private init(parameters: [(keyword: String, value: String)]) {
        self.parameters = parameters
    }

    public subscript(keyword: String) -> String? { parameters.last { $0.keyword == keyword }?.value }

    /// Nothing that was given but the keywords.
    public var description: String { "PostgresAddress(\(parameters.map(\.keyword).joined(separator: ", ")))" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    var keywords: [String] { parameters.map(\.keyword) }
    var values: [String] { parameters.map(\.value) }

    private static let queue = DispatchQueue(label: "gatehouse.postgres.names", attributes: .concurrent)

    /// The same with the addresses of its hosts (`hostaddr`), so that libpq looks up no name, which blocks. A host with several
    /// addresses stands there once for each; its name stays, for the certificate to be compared with.
    ///
    /// - Throws: `PostgresError.notSent` where no host has an address.
    func resolved() async throws(PostgresError) -> PostgresAddress {
        guard let hosts = self["host"], self["hostaddr"] == nil else { return self }
        let names = hosts.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let ports = (self["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let found = await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: names.map(Self.addresses)) }
        }
        var places: [(host: String, address: String, port: String)] = []
        for (index, name) in names.enumerated() {
            let port = index < ports.count ? ports[index] : ports.last ?? ""
            for address in found[index] { places.append((name, address, port)) }
        }
        guard !places.isEmpty else {
            throw .notSent(.cannotConnect(reason: "no address is known of \(names.joined(separator: ", "))"))
        }
        return with("host", places.map(\.host).joined(separator: ","))
            .with("hostaddr", places.map(\.address).joined(separator: ","))
            .with("port", places.map(\.port).joined(separator: ","))
    }

    /// The addresses of a name; one empty text for a folder with a socket, which needs none.
    private static func addresses(of host: String) -> [String] {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") { return [""] }
        return (try? ListeningSocket.addresses(of: host)) ?? []
    }
}
