internal import Apps
internal import Crypto
internal import Syntax

/// The scopes for one app.
struct NamedScopes: Sendable, Equatable {
    let app: String
    let scopes: [String]
}

extension TextRule where Value == NamedScopes {
    /// `APP=SCOPE SCOPE…`, which the file writes as an entry of a mapping.
    static var namedScopes: Self {
        let expected = "lists of scopes by the names of apps: {APP: [openid, …]}, or APP=openid …,APP=… as a variable"
        return TextRule(expected) {
            "\($0.app)=\($0.scopes.joined(separator: " "))"
        } accept: { text in
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
            let scopes = text[text.index(after: sign)...].split(separator: " ").map(String.init)
            guard Set(scopes).count == scopes.count,
                scopes.allSatisfy({ (try? TextRule<String>.scope.read($0)) != nil })
            else { return nil }
            return NamedScopes(app: String(text[..<sign]), scopes: scopes)
        }
    }
}

extension TextRule where Value == APIKey {
    /// A key, or `key=KEY responses=SHAPE` in either order, which the file writes as a mapping.
    static var apiKey: Self {
        let (ofKey, ofShape) = ("key=", "responses=")
        let shapes = ResponseShape.allCases.map(\.rawValue).joined(separator: ", ")
        let expected = "a secret without control characters, or {key: …, responses: …} with one of \(shapes)"
        return TextRule(expected: expected) { text throws(ValueError) in
            var (key, shape) = (text[...], Substring?.none)
            if text.hasPrefix(ofKey), let range = text.firstRange(of: " \(ofShape)") {
                (key, shape) = (text[..<range.lowerBound].dropFirst(ofKey.count), text[range.upperBound...])
            } else if text.hasPrefix(ofShape), let range = text.firstRange(of: " \(ofKey)") {
                (key, shape) = (text[range.upperBound...], text[..<range.lowerBound].dropFirst(ofShape.count))
            } else if text.hasPrefix(ofKey) {
                key = text.dropFirst(ofKey.count)
            }
            guard let responses = shape.map({ ResponseShape(rawValue: String($0)) }) ?? .flat else {
                throw ValueError(value: Secret.redacted, expected: expected)
            }
            return APIKey(try TextRule<Secret>.secret.read(String(key)), responses: responses)
        } show: { _ in
            Secret.redacted
        }
    }
}

extension TextRule where Value == RedirectURI {
    /// Schemes that no app has: what comes back there is run, shown or lost.
    private static var strangeSchemes: Set<String> { ["javascript", "data", "file", "blob", "about", "vbscript"] }

    /// Where answers to an app may go: a claimed https address, a scheme of its own, or a loopback address, whose
    /// literal is demanded since what a name leads to is for others to say (RFC 8252 §7, §8.3).
    static var ofApp: Self {
        let expected = "an absolute URI without a fragment, such as https://app.example/callback"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard !text.contains("*") else {
                throw ValueError(value: text, expected: "a redirect URI to the letter: * stands for nothing")
            }
            guard let scheme = AbsoluteURI.scheme(of: text), AbsoluteURI.isWritten(text) else {
                throw ValueError(value: text, expected: expected)
            }
            guard !strangeSchemes.contains(scheme) else {
                throw ValueError(value: text, expected: "https or a scheme of the app's own: \(scheme) is none")
            }
            if scheme == "https" || scheme == "http" {
                guard let address = try? EndpointURL(configured: text) else {
                    throw ValueError(value: text, expected: expected + ", without user information")
                }
                if let refusal = refusal(of: address) { throw ValueError(value: text, expected: refusal) }
            }
            return RedirectURI(text)
        } show: {
            $0.text
        }
    }

    /// What is expected instead of plain http; nil where it is allowed.
    private static func refusal(of address: EndpointURL) -> String? {
        if address.isSecure || ["127.0.0.1", "::1"].contains(address.host) { return nil }
        return address.host == "localhost"
            ? "http://127.0.0.1 or http://[::1]: what localhost leads to is for others to say"
            : "https, or http to 127.0.0.1 or [::1]"
    }
}

extension TextRule where Value == Permissions {
    /// A permission by its name, or all of them that no client has to prove itself for.
    static var permission: Self {
        let everything = "everything"
        let names = Permissions.everything.names.joined(separator: ", ")
        return TextRule("\(everything), or one of \(names)") {
            $0 == .everything ? everything : $0.scope
        } accept: { text in
            if text == everything { return .everything }
            return Permission(rawValue: text).flatMap { $0 == .tokens ? nil : Permissions([$0]) }
        }
    }
}

extension TextRule where Value == String {
    /// The origin of a web page, to the letter as browsers write it (RFC 6454 §6.2): it is compared as text.
    static var origin: Self {
        let expected = "a web origin such as https://app.example, or http with localhost or a loopback address"
        return TextRule(expected: expected) { text throws(ValueError) in
            guard let address = try? EndpointURL(configured: text),
                address.isSecure || HostName.isLoopback(address.host)
            else { throw ValueError(value: text, expected: expected) }
            let origin = address.origin
            guard text.isExactly(origin) else {
                throw ValueError(value: text, expected: "\(origin), as browsers write that origin")
            }
            return text
        } show: {
            $0
        }
    }

    private static var maximumLabelCharacters: Int { 64 }

    /// A name that people are shown.
    static var label: Self {
        TextRule(
            "at most \(maximumLabelCharacters) characters, all of which people can see, and none that sets a direction"
        ) {
            $0
        } accept: { text in
            VisibleText.fault(of: text) == nil && text.unicodeScalars.count <= maximumLabelCharacters ? text : nil
        }
    }
}

extension EndpointURL {
    /// Scheme, host and port, the latter where it is not the scheme's own.
    fileprivate var origin: String {
        let host = IPAddress(host)?.description ?? host
        guard port != (isSecure ? 443 : 80) else { return "\(scheme)://" + (host.contains(":") ? "[\(host)]" : host) }
        return "\(scheme)://" + Authority.text(host: host, port: port)
    }
}
