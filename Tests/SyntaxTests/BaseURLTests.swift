import Syntax
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A base URL` {
    @Test(arguments: [
        ("https://gatehouse.example", "https://gatehouse.example/auth"),
        ("https://gatehouse.example/", "https://gatehouse.example/auth"),
        ("https://gatehouse.example/base", "https://gatehouse.example/base/auth"),
        ("https://gatehouse.example/base/", "https://gatehouse.example/base/auth"),
        ("/base/", "/base/auth"), ("", "/auth"),
    ])
    func `has one address for each path, with a slash at its end or without`(text: String, address: String) {
        let base = BaseURL(text)
        #expect(base.address("/auth") == address)
        #expect(base.address("") + "/auth" == address)
        #expect(base.text == text, "the issuer's name is compared to the letter")
    }
}
