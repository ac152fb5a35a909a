internal import HTTPServer
internal import OpenAPI

/// The API's description of itself, for tools at `/openapi.json` and for people at `/docs` and `/`. All loops share
/// one.
public final class Documentation: Sendable {
    let files: DocumentationFiles

    /// - Parameters:
    ///   - version: this build's.
    ///   - baseURL: where apps reach the service; nil when nobody has said.
    ///   - wings: what wings bring, by the configuration; also of those that are off.
    public init(version: String, baseURL: String?, wings: APIExtensions) {
        files = DocumentationFiles(areOpen: true) {
            DocumentationFiles.Source(
                document: APIDocument.make(version: version, baseURL: baseURL, wings: wings),
                wording: APIDocument.wording, entrance: APIDocument.entrance)
        }
    }
}
