import SignIn
import Testing

@Suite struct `What a browser brings` {
    @Test func `has no value where a control character stands in it, a NUL above all, which no store holds`() {
        let parameters = AuthorizationParameters([("nonce", "a\0b"), ("state", "\0"), ("scope", "openid")])
        #expect(parameters.unusable == ["nonce", "state"])
        #expect(parameters[.nonce] == nil && parameters[.state] == nil && parameters[.scope] == "openid")
    }
}
