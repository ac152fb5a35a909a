import JSON
import Syntax

/// A request as a line for a shell, to copy: with the document's examples, and variables for what only the reader has.
///
/// Nothing of a reader's request gets in here: a page is made once for all readers, so that nobody's `Host` is shown to
/// others.
struct CurlCommand {
    let operation: DocumentReader.Operation
    let document: DocumentReader

    var text: String {
        let body = operation.value["requestBody"]?["content"]?.object?.members.first
        let impliedMethod = body == nil ? "GET" : "POST"
        var words = ["curl"]
        if operation.method != impliedMethod { words[0] += " -X \(operation.method)" }
        words[0] += " " + address
        words += credentials.map { "-H \($0)" }
        if let body {
            if body.name == "application/json" {
                words.append("-H 'Content-Type: application/json'")
                words.append("-d " + Self.quoted((body.value["example"] ?? [:]).compact))
            } else {
                words += (body.value["example"]?.object?.members ?? []).map { member in
                    "--data-urlencode " + Self.quoted("\(member.name)=\(member.value.string ?? member.value.compact)")
                }
            }
        }
        return words.joined(separator: " \\\n  ")
    }

    private var parameters: [JSONValue] { (operation.value["parameters"]?.array ?? []).map(document.resolved) }

    private var address: String {
        var path = operation.path
        for parameter in parameters where parameter["in"] == "path" {
            guard let example = parameter["example"], let name = parameter["name"]?.string else { continue }
            path = path.split(separator: "{\(name)}", omittingEmptySubsequences: false)
                .joined(separator: example.string ?? example.compact)
        }
        let address =
            document.server.map { Self.quoted(BaseURL($0).address(path)) } ?? "\"$GATEHOUSE\"" + Self.quoted(path)
        let query = parameters.compactMap { parameter -> String? in
            guard parameter["in"] == "query", let example = parameter["example"], let name = parameter["name"]?.string
            else { return nil }
            return " \\\n  --data-urlencode " + Self.quoted("\(name)=\(example.string ?? example.compact)")
        }
        return query.isEmpty ? address : "-G " + address + query.joined()
    }

    /// Of the alternatives the first with a token, for a request that may go without one does more with it.
    private var credentials: [String] {
        let schemes = document.value["components"]?["securitySchemes"]
        let alternatives = (operation.value["security"]?.array ?? []).map { $0.object?.members.map(\.name) ?? [] }
        let chosen = alternatives.first { $0.contains { schemes?[$0]?["scheme"] == "bearer" } } ?? alternatives.first
        return (chosen ?? []).compactMap { schemes?[$0] }.map { scheme in
            switch scheme["scheme"]?.string {
            case "bearer": "\"Authorization: Bearer $TOKEN\""
            case "basic": "\"Authorization: Basic $(printf %s \"$ID:$SECRET\" | base64 -w0)\""
            default: "\"\(scheme["name"]?.string ?? ""): $CREDENTIALS\""
            }
        }
    }

    /// A text as one word of a POSIX shell (§2.2.2), in which nothing is special.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~/:=,@%+".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
