import HTTPClient
import JSON
import Providers
internal import Syntax
import TestSupport
import Testing

@Suite struct `Discovery of a provider` {
    /// A carrier's document with its irregular types: a number for a text, an array for a flag, a text for an array.
    static let irregular: JSONObject = JSONObject([
        ("issuer", "https://carrier.example"), ("authorization_endpoint", "https://app.carrier.example/authorize"),
        ("token_endpoint", "https://api.carrier.example/token"),
        ("userinfo_endpoint", "https://info.carrier.example/userinfo"),
        ("jwks_uri", "https://keys.carrier.example/jwks"),
        ("request_parameter_supported", [true]), ("mccmnc", 310_380), ("usertraits_supported", "sim_tenure_24"),
        ("id_token_signing_alg_values_supported", "RS256"), ("scopes_supported", .null),
    ])

    private func result(_ response: OutboundResponse, loopback: Bool = false) -> Result<
        DiscoveryResult, ProviderCallError
    > {
        Result { () throws(ProviderCallError) in try Discovery.result(of: response, allowLoopbackHTTP: loopback) }
    }

    private func failure(_ member: String, _ value: JSONValue?, loopback: Bool = false) -> ProviderCallError? {
        var document = Self.irregular
        document[setting: member] = value
        return result(.json(.object(document)), loopback: loopback).failure
    }

    @Test(arguments: [
        ("https://carrier.example", "https://carrier.example/.well-known/openid-configuration"),
        ("https://carrier.example/", "https://carrier.example/.well-known/openid-configuration"),
        ("https://carrier.example/a/b", "https://carrier.example/a/b/.well-known/openid-configuration"),
        ("https://carrier.example:8443/a/", "https://carrier.example:8443/a/.well-known/openid-configuration"),
    ])
    func `finds metadata below the issuer`(issuer: String, url: String) throws {
        #expect(try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: false).text == url)
    }

    @Test(arguments: ["http://carrier.example", "carrier.example", "", "file:///etc/passwd", "https://a@b.example"])
    func `calls no issuer that is no https address`(issuer: String) {
        #expect(throws: ProviderCallError.refusedEndpoint("issuer")) {
            try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: false)
        }
    }

    @Test func `takes a document of irregular types`() throws {
        let found = try result(.json(.object(Self.irregular))).get()
        guard case .found(let metadata) = found else {
            Issue.record("nothing was found")
            return
        }
        #expect(metadata.issuer == "https://carrier.example")
        #expect(metadata.tokenEndpoint?.text == "https://api.carrier.example/token")
        #expect(metadata.userinfoEndpoint?.text == "https://info.carrier.example/userinfo")
        #expect(metadata.keysEndpoint.text == "https://keys.carrier.example/jwks")
        #expect(metadata.authorizationEndpoint?.text == "https://app.carrier.example/authorize")
    }

    @Test(arguments: ["issuer", "token_endpoint", "jwks_uri"], [nil, .null] as [JSONValue?])
    func `needs issuer, token endpoint and keys`(member: String, value: JSONValue?) {
        #expect(failure(member, value) == .invalidMember(member))
    }

    @Test(arguments: ["issuer", "token_endpoint", "jwks_uri"])
    func `needs them as texts`(member: String) {
        #expect(failure(member, 7) == .invalidMember(member))
        #expect(failure(member, ["https://carrier.example"]) == .invalidMember(member))
    }

    @Test(arguments: ["https://carrier.example/?a", "https://carrier.example?a=b", "https://carrier.example/#a"])
    func `takes no issuer with a query or a fragment`(issuer: String) {
        #expect(failure("issuer", .string(issuer)) == .invalidMember("issuer"))
        #expect(throws: ProviderCallError.refusedEndpoint("issuer")) {
            try Discovery.metadataURL(issuer: issuer, allowLoopbackHTTP: false)
        }
    }

    @Test func `needs an issuer that is not empty`() {
        #expect(failure("issuer", "") == .invalidMember("issuer"))
    }

    @Test(arguments: [nil, .null] as [JSONValue?])
    func `discovery of a provider does without userinfo and authorization endpoint`(value: JSONValue?) {
        #expect(failure("userinfo_endpoint", value) == nil)
        #expect(failure("authorization_endpoint", value) == nil)
    }

    @Test(
        arguments: [
            ("", nil), ("http://carrier.example/x", .refusedEndpoint("userinfo_endpoint")),
            (7, .invalidMember("userinfo_endpoint")),
        ] as [(JSONValue, ProviderCallError?)])
    func `holds an address of userinfo against nobody who does not ask there`(
        value: JSONValue, fault: ProviderCallError?
    ) throws {
        var body = Self.irregular
        body[setting: "userinfo_endpoint"] = value
        guard case .found(let metadata) = try result(.json(.object(body))).get() else {
            Issue.record("nothing was found")
            return
        }
        #expect(metadata.userinfoEndpoint == nil && metadata.userinfoFault == fault)
    }

    @Test(arguments: ["token_endpoint", "jwks_uri"])
    func `refuses an endpoint we may not call`(member: String) {
        for url in ["http://carrier.example/x", "http://127.0.0.1/x", "ftp://carrier.example/", "/token"] {
            #expect(failure(member, .string(url)) == .refusedEndpoint(member))
        }
        #expect(failure(member, "") == .invalidMember(member))
        #expect(failure(member, "http://127.0.0.1:8080/x", loopback: true) == nil)
        #expect(failure(member, "http://carrier.example/x", loopback: true) == .refusedEndpoint(member))
    }

    @Test(arguments: [200, 400, 404])
    func `says that nobody serves a network, whatever the status`(status: Int) throws {
        let answer: JSONValue = ["error": "provider_not_found", "redirect_uri": "https://app.example/ui/discovery-ui"]
        guard case .notFound(let page) = try result(.json(answer, status: status)).get() else {
            Issue.record("something was found")
            return
        }
        #expect(page == "https://app.example/ui/discovery-ui")
    }

    @Test(arguments: [
        "javascript:alert(1)", "http://app.example/ui", "ftp://app.example", "//app.example", "app.example", "",
        "https://app.example/a b", "https://app.example/\"><script>", "https://app.example/\r\nX: 1",
        "https://user@app.example/", "https:///path", "https://", "http://127.0.0.1.app.example/",
        "https://app.example/" + String(repeating: "a", count: 2048),
    ])
    func `passes no page on that is no web address`(page: String) throws {
        let answer: JSONValue = ["error": "provider_not_found", "redirect_uri": .string(page)]
        guard case .notFound(discoveryUI: nil) = try result(.json(answer)).get() else {
            Issue.record("\(page) was passed on")
            return
        }
    }

    @Test func `passes a loopback page on in development only`() throws {
        let answer: JSONValue = ["error": "provider_not_found", "redirect_uri": "http://127.0.0.1:9000/ui"]
        guard case .notFound(discoveryUI: nil) = try result(.json(answer)).get(),
            case .notFound(discoveryUI: "http://127.0.0.1:9000/ui") = try result(.json(answer), loopback: true).get()
        else {
            Issue.record("the page was not told apart")
            return
        }
    }

    @Test func `says that a subscriber has left`() throws {
        guard case .notFound(discoveryUI: nil) = try result(.json(["error": "user_not_found"])).get() else {
            Issue.record("something was found")
            return
        }
    }

    @Test func `tells every other error as a refusal`() {
        #expect(result(.json(["error": "invalid_request"])).failure == .refused(.clientFault("invalid_request")))
        #expect(result(.json(["error": "server_error"], status: 500)).failure == .refused(.temporarilyUnavailable))
        #expect(result(.json(["error": "anything else"])).failure == .refused(.unknown))
    }

    @Test func `tells what is no metadata at all`() {
        #expect(result(.page).failure == .notJSON)
        #expect(result(.json(["a"])).failure == .notJSON)
        #expect(result(.page(status: 502)).failure == .status(502))
        #expect(result(.json(.object(Self.irregular), status: 302)).failure == .status(302))
        #expect(
            result(.text(#"{"issuer":"https://a","issuer":"https://b"}"#, type: "application/json")).failure
                == .doubtfulMember("issuer"))
    }
}
