import Crypto
import Testing

@Suite struct `Secrets` {
    private struct Settings {
        let name = "carrier"
        let clientSecret: Secret
        let key: SymmetricKey
    }

    @Test func `print nothing of themselves, also inside another value`() {
        let text = "correct horse battery staple"
        let secret = Secret(text)
        let key = SymmetricKey.generate()
        let settings = Settings(clientSecret: secret, key: key)
        var dumped = ""
        dump(settings, to: &dumped)
        dump(secret, to: &dumped)
        let printed = ["\(secret)", String(reflecting: secret), "\(settings)", String(reflecting: settings), dumped]
        for output in printed {
            #expect(!output.contains("horse"))
            #expect(!output.contains("99, 111, 114"), "the bytes of the text")
            #expect(output.contains("<redacted>"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `secrets give back what was put in, as text, as bytes and on loan`() {
        let secret = Secret("pässword")
        #expect(secret.revealedText == "pässword")
        #expect(secret.revealedBytes == Array("pässword".utf8))
        #expect(secret.count == 9)
        #expect(secret.withBytes { $0.count } == 9)
        #expect(Secret([]).isEmpty)
        #expect(Secret([]).withBytes { $0.isEmpty })
    }

    @Test func `secrets are equal when their bytes are`() {
        #expect(Secret("a") == Secret([0x61]))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("aa"))
    }
}
