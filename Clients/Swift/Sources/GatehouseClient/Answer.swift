import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension API {
    /// An answer whose body is JSON, or nothing.
    struct Answer {
        let response: HTTPURLResponse
        /// As it came.
        let data: Data
        /// Its members, where it is an object.
        let body: [String: Any]

        var status: Int { response.statusCode }
        var isGood: Bool { (200..<300).contains(status) }
        /// Whether it says for good that a session is over.
        var endsSession: Bool { (400..<500).contains(status) && body["error"] as? String == "invalid_grant" }
        /// Whether another access token may help. A refusal by another name is about what was posted, which may be good
        /// for one use.
        var asksForAnotherToken: Bool {
            API.asksForAnotherToken(response) && ["invalid_token", nil].contains(body["error"] as? String)
        }
        /// Whether the same request may fare better later.
        var isPassing: Bool { status >= 500 || status == 429 || status == 408 }
        /// Whether the user may not sign in at all.
        var isLocked: Bool { body["error_code"] as? String == "locked" }

        /// - Throws: `GatehouseError.unreachable` for what is not what the API says: something on the way has spoilt
        ///   it.
        func decoded<Value: Decodable>() throws(GatehouseError) -> Value {
            guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
                throw .unreachable
            }
            return value
        }

        /// What an answer that is not good says.
        ///
        /// - Parameter clientID: of the app that asked, which a ticket is good for; nil for who posts codes.
        func refusal(to clientID: String? = nil) -> GatehouseError {
            if isPassing { return .unreachable }
            if isLocked { return .locked }
            let code = body["error"] as? String ?? body["error_code"] as? String ?? ""
            switch code {
            case "unlinked_user":
                if let user = UnlinkedUser(body, clientID: clientID) { return .unlinkedUser(user) }
            case "provider_not_found":
                return .providerNotFound(discoveryUI: DiscoveryUI(body["discovery_ui"] as? String))
            case "insufficient_user_authentication":
                return .insufficientUserAuthentication(
                    maximumAge: challenged("max_age").flatMap { Int($0) }, acrValues: challenged("acr_values"))
            default: break
            }
            return .refused(status: status, code: code, description: body["error_description"] as? String ?? "")
        }

        /// A parameter of the challenge, by its name (RFC 9110 §11.6.1), in quotes as the service writes it.
        private func challenged(_ name: String) -> String? {
            let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
            guard let start = challenge.range(of: "[ ,]\(name)=\"", options: .regularExpression)?.upperBound else {
                return nil
            }
            return challenge[start...].firstIndex(of: "\"").map { String(challenge[start..<$0]) }
        }
    }
}
