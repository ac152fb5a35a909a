internal import HTTPServer
internal import JSON
internal import SignIn

/// `POST /users/me/match`: does what the user has typed match what a provider has said?
struct MatchEndpoint: Sendable {
    private static let parameters = ParameterTable<MatchedAttribute>()

    let match: MatchAttributes

    func respond(_ context: RequestContext, _ principal: Principal) async throws(ServiceError) -> HTTPResponse {
        let parameters = try RequestParameters(context.request, Self.parameters)
        var typed: [(attribute: MatchedAttribute, value: String)] = []
        for attribute in MatchedAttribute.allCases {
            guard let value = parameters[attribute] else { continue }
            guard value.utf8.count <= ProfileFields.maximumValueBytes else {
                throw .invalidParameter(
                    ParameterError(
                        attribute.rawValue, "is longer than \(ProfileFields.maximumValueBytes) bytes"))
            }
            if let fault = attribute.fault(of: value) {
                throw .invalidParameter(ParameterError(attribute.rawValue, fault))
            }
            typed.append((attribute, value))
        }
        guard !typed.isEmpty else {
            let names = MatchedAttribute.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("None of the parameters is one that can be compared: \(names).")
        }
        let outcomes = try await match.match(typed, under: principal.session)
        var writer = JSONWriter()
        writer.object { body in
            for (attribute, outcome) in outcomes { body.member(attribute.rawValue, outcome.rawValue) }
        }
        return .secretJSON(writer.bytes)
    }
}
