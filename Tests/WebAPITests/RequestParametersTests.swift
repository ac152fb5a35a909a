import HTTPServer
import JSON
import SignIn
import Testing

@testable import WebAPI

@Suite struct `The parameters of a request` {
    private enum Name: String, ProviderParameterNames {
        case client_id, redirect_uri, code_verifier, correlation_id, acr_values, sdk_version, grant_type, refresh_token
        case mccmnc, mcc, mnc, provider, code, iss, nonce, context, state

        static let clientID = Name.client_id
        static let unsupported = ["max_age"]
    }

    private struct Read {
        let parameters: RequestParameters<Name>

        subscript(name: String) -> String? { Name(rawValue: name).flatMap { parameters[$0] } }
    }

    private func read(_ body: String, type: String? = "application/json") throws(ServiceError) -> Read {
        let headers = type.map { [("Content-Type", $0)] } ?? []
        let request = HTTPRequest.sample(.post, "/", headers: headers, body: Array(body.utf8))
        return Read(parameters: try RequestParameters(of: request, ParameterTable()))
    }

    private func form(_ body: String) throws(ServiceError) -> Read {
        try read(body, type: "application/x-www-form-urlencoded")
    }

    private func refusal(_ body: String, type: String? = "application/json") -> String? {
        do throws(ServiceError) {
            _ = try read(body, type: type)
            return nil
        } catch {
            return switch error {
            case .invalidRequest(let sentence): sentence
            case .invalidParameter(let parameter): "The parameter \(parameter.name) \(parameter.problem)."
            default: "\(error)"
            }
        }
    }

    private func refusal(form body: String) -> String? { refusal(body, type: "application/x-www-form-urlencoded") }

    @Test(arguments: names) func `the parameters of a request have no NUL, which not every store takes`(name: String) {
        for value in ["\\u0000", "a\\u0000b"] {
            #expect(refusal("{\"\(name)\":\"\(value)\"}") == "The parameter \(name) has a NUL.")
        }
        #expect(refusal(form: "\(name)=a%00") == "The parameter \(name) has a NUL.")
    }

    static let names = [
        "client_id", "redirect_uri", "code_verifier", "correlation_id", "acr_values", "sdk_version", "grant_type",
        "refresh_token", "mccmnc", "provider", "code", "iss", "nonce", "context", "state",
    ]

    @Test(arguments: names)
    func `the parameters of a request are read in the SDK's spelling from JSON and from a form`(name: String) throws {
        #expect(try read("{\"\(name)\":\"the value\"}")[name] == "the value")
        #expect(try form("\(name)=the+value")[name] == "the value")
    }

    @Test(
        arguments: [
            ("clientId", "client_id"), ("clientID", "client_id"), ("redirectURI", "redirect_uri"),
            ("redirectUri", "redirect_uri"), ("codeVerifier", "code_verifier"), ("correlationId", "correlation_id"),
            ("correlationID", "correlation_id"), ("acrValues", "acr_values"), ("sdkVersion", "sdk_version"),
            ("grantType", "grant_type"), ("refreshToken", "refresh_token"), ("mccMnc", "mccmnc"),
        ])
    func `the parameters of a request are read in the guides' spelling too`(alias: String, name: String) throws {
        #expect(try read("{\"\(alias)\":\"value\"}")[name] == "value")
        #expect(try form("\(alias)=value")[name] == "value")
    }

    @Test func `the parameters of a request may come in both spellings with one value`() throws {
        #expect(try read(#"{"client_id":"a","clientId":"a"}"#)["client_id"] == "a")
        #expect(try form("client_id=a&clientId=a")["client_id"] == "a")
    }

    @Test func `count as absent where they are empty`() throws {
        #expect(try read(#"{"provider":"","client_id":"a","clientId":""}"#)["provider"] == nil)
        #expect(try form("provider=&client_id=a&clientId=")["client_id"] == "a")
        #expect(try form("mcc=&mnc=&mccmnc=310260")["mccmnc"] == "310260")
    }

    @Test func `the parameters of a request may not come in both spellings with two values`() {
        let sentence = "The parameter client_id is there in two spellings with different values."
        #expect(refusal(#"{"client_id":"a","clientId":"b"}"#) == sentence)
        #expect(refusal(#"{"clientID":"a","clientId":"b"}"#) == sentence)
        #expect(refusal(form: "client_id=a&clientId=b") == sentence)
    }

    @Test func `the parameters of a request may not come twice in a form, even with one value`() {
        #expect(refusal(form: "code=a&code=a") == "The parameter code is there twice.")
        #expect(refusal(form: "code=a&code=b") == "The parameter code is there twice.")
        #expect(refusal(form: "clientId=a&clientId=a") == "The parameter client_id is there twice.")
    }

    @Test func `the parameters of a request may not come twice in JSON`() {
        #expect(refusal(#"{"code":"a","code":"a"}"#) == "The body has a member twice.")
        #expect(refusal(#"{"other":1,"other":2}"#) == "The body has a member twice.")
    }

    @Test(arguments: ["mccmnc", "correlation_id"])
    func `the parameters of a request may be numbers where apps send numbers`(name: String) throws {
        #expect(try read("{\"\(name)\":310260}")[name] == "310260")
    }

    @Test(arguments: ["-310260", "310260.5", "true", "[310260]", "{}", "1e300"])
    func `the parameters of a request may be no other numbers`(value: String) {
        #expect(refusal("{\"mccmnc\":\(value)}") == "The parameter mccmnc must be a string.")
    }

    @Test(arguments: [
        "code", "redirect_uri", "nonce", "code_verifier", "client_id", "clientId", "refresh_token", "state",
    ])
    func `the parameters of a request must be strings otherwise`(name: String) {
        for value in ["7", "true", "[\"a\"]", "{\"value\":\"a\"}", "1.5"] {
            #expect(refusal("{\"\(name)\":\(value)}")?.hasSuffix("must be a string.") == true)
        }
    }

    @Test(arguments: ["acr_values", "acrValues"])
    func `the parameters of a request may be a list where levels are asked for`(name: String) throws {
        #expect(try read(#"{"\#(name)":["a3","a1"]}"#)["acr_values"] == "a3 a1")
        #expect(try read(#"{"\#(name)":["a3"]}"#)["acr_values"] == "a3")
        #expect(try read(#"{"\#(name)":[]}"#)["acr_values"] == nil)
        #expect(try read(#"{"acr_values":"a3 a1","acrValues":["a3","a1"]}"#)["acr_values"] == "a3 a1")
        let sentence = "The parameter acr_values must be a string, or a list of strings."
        for list in ["[3]", #"["a3",null]"#, #"[["a3"]]"#] {
            #expect(refusal("{\"\(name)\":\(list)}") == sentence)
        }
        #expect(refusal(#"{"acr_values":"a1","acrValues":["a3"]}"#)?.contains("different values") == true)
    }

    @Test func `the parameters of a request are absent when they are null`() throws {
        #expect(try read(#"{"code":null,"mccmnc":null}"#)["code"] == nil)
        #expect(try read(#"{"code":null,"mcc":null,"mnc":null}"#)["mccmnc"] == nil)
    }

    @Test func `the parameters of a request are beside fields nobody knows, which are ignored`() throws {
        #expect(try read(#"{"code":"a","x":[1,{"y":null}],"password":7}"#)["x"] == nil)
        #expect(try read(#"{"code":"a","x":[1,{"y":null}],"password":7}"#)["code"] == "a")
        #expect(try form("x=1&x=2&code=a&y")["code"] == "a")
        #expect(try form("x=1&x=2&code=a&y")["x"] == nil)
    }

    @Test(arguments: ["max_age=0", "max_age=soon"])
    func `the parameters of a request are refused where one counts on them and they are not honoured`(body: String) {
        let sentence = "The parameter max_age is not honoured here: leave it out."
        #expect(refusal(form: "code=a&" + body) == sentence)
        #expect(refusal(#"{"code":"a","max_age":60}"#) == sentence)
        #expect(refusal(form: "code=a&max_age=") == nil)
        #expect(refusal(#"{"code":"a","max_age":null}"#) == nil)
    }

    @Test(
        arguments: [
            (#"{"mcc":310,"mnc":260}"#, "310260"), (#"{"mcc":"310","mnc":"260"}"#, "310260"),
            (#"{"mcc":310,"mnc":4}"#, "310004"), (#"{"mcc":310,"mnc":"004"}"#, "310004"),
            (#"{"mcc":"240","mnc":"01"}"#, "24001"), (#"{"mcc":310,"mnc":260,"mccmnc":"310260"}"#, "310260"),
            (#"{"mccmnc":"310260"}"#, "310260"),
        ])
    func `join a network's two codes`(body: String, mccmnc: String) throws {
        #expect(try read(body)["mccmnc"] == mccmnc)
    }

    @Test func `the parameters of a request need both codes of a network, and the same network`() {
        #expect(refusal(#"{"mcc":310}"#) == "The parameters mcc and mnc go together.")
        #expect(refusal(form: "mnc=260") == "The parameters mcc and mnc go together.")
        #expect(refusal(#"{"mcc":310,"mnc":260,"mccmnc":"311480"}"#)?.contains("mccmnc") == true)
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON", "application/json ;charset=utf-8",
        nil,
    ])
    func `the parameters of a request come as JSON, also when nobody says so`(type: String?) throws {
        #expect(try read(#"{"code":"a"}"#, type: type)["code"] == "a")
    }

    @Test(arguments: [
        "text/plain", "application/xml", "multipart/form-data; boundary=x", "application/jsonp", "", "json",
    ])
    func `the parameters of a request come as nothing else`(type: String) {
        #expect(refusal(#"{"code":"a"}"#, type: type) == "unsupportedMediaType")
    }

    @Test(arguments: ["", "{", "code=a", "{\"code\":\"\u{1}\"}", "nul"])
    func `the parameters of a request are refused when they are no JSON`(body: String) {
        #expect(refusal(body) == "The body is not JSON.")
    }

    @Test(arguments: ["[]", "\"code\"", "7", "null"])
    func `the parameters of a request are refused when they are no object`(body: String) {
        #expect(refusal(body) == "The body is not a JSON object.")
    }

    @Test(arguments: ["code=%", "code=%zz", "code=%FF"])
    func `the parameters of a request are refused when a form is ill-formed`(body: String) {
        #expect(refusal(form: body) == "The body is not a form of at most 64 fields.")
    }

    @Test func `the parameters of a request are at most 64 in a form`() {
        let fields = (0..<65).map { "f\($0)=1" }
        #expect(refusal(form: fields.dropLast().joined(separator: "&")) == nil)
        #expect(refusal(form: fields.joined(separator: "&")) == "The body is not a form of at most 64 fields.")
    }

    @Test(arguments: [
        #"{"code":["secret"]}"#, #"{"client_id":"secret","clientId":"secrets"}"#, #"{"code":"secret"#,
        #"{"mccmnc":{"secret":1}}"#, #"{"secret":1,"secret":2}"#,
    ])
    func `the parameters of a request are never repeated in what is said against them`(body: String) throws {
        let said = try #require(refusal(body))
        #expect(!said.contains("secret"))
    }
}
