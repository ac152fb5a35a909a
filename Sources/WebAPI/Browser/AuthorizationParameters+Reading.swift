package import HTTPServer
package import SignIn
internal import Syntax

extension AuthorizationParameters {
    private static let maximumFields = 64

    /// What a browser brings: in the query of a GET, or in the form that it posts.
    ///
    /// - Throws: `ServiceError.invalidRequest`.
    package init(_ request: HTTPRequest) throws(ServiceError) {
        guard request.method == .post else {
            do throws(FormError) {
                let bytes = Array((request.query ?? "").utf8)
                self.init(try FormFields(parsing: bytes.span, limit: Self.maximumFields).fields)
            } catch {
                throw .invalidRequest("The query is not a form of at most \(Self.maximumFields) fields.")
            }
            return
        }
        // There is a page for what a browser can't send, and none for its media type.
        guard case .form(let form)? = try? RequestBody(request) else {
            throw .invalidRequest("The body is not a form of at most \(Self.maximumFields) fields.")
        }
        self.init(form.fields, from: .form)
    }

    /// The parameters as a query.
    var query: String {
        var bytes: [UInt8] = []
        for field in all {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            FormEncoding.append(field.name.utf8.span, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            FormEncoding.append(field.value.utf8.span, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
