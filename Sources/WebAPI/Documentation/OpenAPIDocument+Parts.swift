internal import JSON
internal import OpenAPI

/// What the documents of both listeners are put together from.
extension OpenAPIDocument {
    static func of(
        title: String, version: String, introduction: String, baseURL: String?,
        operations: [(description: OperationDescription, object: OperationObject)], wings: APIExtensions,
        securitySchemes: [JSONObject.Member], namedSchemas: [String] = []
    ) -> JSONValue {
        let codes = ErrorCode.all(with: wings.all.flatMap(\.errors).map(ErrorCode.init))
        return OpenAPIDocument(
            info: [
                "title": .string(title), "version": .string(version), "description": .string(introduction),
                "license": ["name": "Apache 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            server: baseURL ?? "/", tags: tags(of: operations.map(\.description), wings),
            operations: operations.map(\.object),
            components: Components(
                schemas: RequestSchemas.all + wings.all.flatMap(\.requestSchemas) + AnswerSchemas.all
                    + wings.all.flatMap(\.answerSchemas) + IssuerSchemas.all + AdminSchemas.all + ErrorSchemas.all
                    + StockAppSchemas.all,
                parameters: [("RequestID", requestID)],
                headers: ResponseHeader.allCases.map { ($0.rawValue, $0.description) },
                examples: codes.map { ($0.rawValue, $0.example) },
                responses: codes.map { ($0.rawValue, ErrorResponse([$0]).whole) } + [
                    (ErrorResponse.ofHTTP, ErrorResponse(ErrorCode.ofHTTP).response(ofHTTP))
                ], securitySchemes: securitySchemes),
            namedSchemas: namedSchemas
        ).json
    }

    /// The groups that operations are in, in a reader's order.
    private static func tags(of operations: [OperationDescription], _ wings: APIExtensions) -> [Tag] {
        OperationGroup.all(with: wings.all.map(\.group)).filter { tag in operations.contains { $0.tag == tag } }.map {
            Tag(name: $0.name, description: $0.description)
        }
    }

    private static let ofHTTP =
        "What HTTP itself may have to say to any request. A path that is not here is answered `not_found`, another method of "
        + "a path `method_not_allowed`. `OPTIONS` of a path, or of `*`, is answered 204, with what it takes in `Allow`."

    private static let requestID: JSONValue = [
        "name": "X-Request-ID", "in": "header", "required": false,
        "description": """
        A name for the request, which the answer repeats and the log has. Anything but 1 to 64 of \
        `A-Z a-z 0-9 . _ -` is replaced.
        """,
        "schema": ["type": "string"], "example": .string(Examples.requestID),
    ]
}
