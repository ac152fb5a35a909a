internal import Crypto
package import HTTPServer
internal import Syntax

/// By which a client tells that it has an answer already (RFC 9110 §8.8.3).
package struct EntityTag: Sendable {
    private static let hashBytes = 12

    /// Weak, since the connection may compress the body (RFC 9110 §8.8.3.3).
    fileprivate let text: String

    package init(of body: [UInt8]) {
        text = Digest.sha256.withHash(of: body.span) { hash in
            "W/\"\(Base64URL.encode(hash.extracting(first: Self.hashBytes)))\""
        }
    }

    /// Whether a list of entity tags has this one, by weak comparison (RFC 9110 §13.1.2). Ours have no comma.
    fileprivate func stands(in field: String) -> Bool {
        field.split(separator: ",").contains { element in
            let tag = element.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed()
            let text = String(tag)
            return text == "*" || text == self.text || text == self.text.dropFirst(2)
        }
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

extension HTTPResponse {
    /// The answer with its tag; to who has it already, that nothing has changed, without the body (RFC 9110 §15.4.5).
    ///
    /// - Parameter tag: of the body, where it is kept; made of the body when not given.
    package func unlessKnown(to request: HTTPRequest, as tag: EntityTag? = nil) -> HTTPResponse {
        let tag = tag ?? EntityTag(of: body)
        var answer = self
        if request.headers("if-none-match").contains(where: tag.stands) {
            answer.status = .notModified
            answer.body = []
        }
        answer.headers.append((name: "ETag", value: tag.text))
        return answer
    }
}
