internal import HTTPServer
internal import OpenAPI

/// The API's description of itself, for tools at `/openapi.json` and for people at `/docs` and `/`. All loops share
/// one.
public final class Documentation: Sendable {
    /// All there are, at the paths of this configuration: the routes are made of them, too.
    let operations: [Operation<APIServices>]
    /// Below which TIM's KeyService is.
    let keyServicePath: String
    let files: DocumentationFiles

    /// - Parameters:
    ///   - version: this build's.
    ///   - baseURL: where apps reach the service; nil when nobody has said.
    ///   - keyServicePath: below which TIM's KeyService is; nil for where it is by itself.
    public init(version: String, baseURL: String?, keyServicePath: String? = nil) {
        self.keyServicePath = keyServicePath ?? KeyServiceEndpoint.usualPath
        let operations = keyServicePath.map(Operations.table(keyServiceAt:)) ?? Operations.all
        self.operations = operations
        files = DocumentationFiles(areOpen: true) {
            DocumentationFiles.Source(
                document: APIDocument.make(version: version, baseURL: baseURL, operations: operations),
                wording: APIDocument.wording, entrance: APIDocument.entrance)
        }
    }
}
