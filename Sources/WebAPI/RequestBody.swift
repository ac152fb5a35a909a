package import HTTPServer
package import JSON
package import SignIn

/// The body of a request, as the two types the API takes.
package enum RequestBody {
    case json(JSONObject)
    case form(FormFields)

    private static let maximumFields = 64
    private static let jsonType = "application/json"

    /// Reads a request's body.
    ///
    /// - Throws: `ServiceError.unsupportedMediaType`, or `.invalidRequest` saying what is wrong and nothing of what was
    ///   sent.
    package init(_ request: HTTPRequest) throws(ServiceError) {
        let type = request.header("content-type") ?? Self.jsonType
        switch type == Self.jsonType ? type : Self.mediaType(type) {
        case Self.jsonType, "application/merge-patch+json": self = .json(try Self.object(request.body))
        case "application/x-www-form-urlencoded":
            do throws(FormError) {
                self = .form(try FormFields(parsing: request.body.span, limit: Self.maximumFields))
            } catch {
                throw .invalidRequest("The body is not a form of at most \(Self.maximumFields) fields.")
            }
        default: throw .unsupportedMediaType
        }
    }

    /// The media type of a Content-Type field, without its parameters (RFC 9110 §8.3.1).
    package static func mediaType(_ field: String) -> String {
        let type = field.prefix { $0 != ";" }
        return type.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    private static func object(_ body: [UInt8]) throws(ServiceError) -> JSONObject {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: body.span)
        } catch .duplicateMember {
            throw .invalidRequest("The body has a member twice.")
        } catch {
            throw .invalidRequest("The body is not JSON.")
        }
        guard let object = document.object else { throw .invalidRequest("The body is not a JSON object.") }
        return object
    }
}
