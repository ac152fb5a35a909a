import Crypto
import Syntax
import Testing

@Suite struct `Base64url and base64` {
    // RFC 4648 §10, and bytes that need the last two symbols of the alphabets.
    @Test(arguments: [
        ("", "", ""), ("f", "Zg", "Zg=="), ("fo", "Zm8", "Zm8="), ("foo", "Zm9v", "Zm9v"),
        ("foob", "Zm9vYg", "Zm9vYg=="),
        ("fooba", "Zm9vYmE", "Zm9vYmE="), ("foobar", "Zm9vYmFy", "Zm9vYmFy"), ("~~~?", "fn5-Pw", "fn5+Pw=="),
        ("???", "Pz8_", "Pz8/"),
    ])
    func `encode and decode as RFC 4648 says`(_ text: String, _ url: String, _ standard: String) {
        let bytes = Array(text.utf8)
        #expect(Base64URL.encode(bytes) == url)
        #expect(Base64URL.decode(url) == bytes)
        #expect(Base64.encode(bytes) == standard)
        #expect(Base64.decode(standard) == bytes)
    }

    @Test func `base64url and base64 give back every byte string`() {
        for count in 0..<200 {
            let bytes = Random.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg==", "Zg=", "Zm8=", "=", "====", "A", "AAAAA", "Zm9v ", " Zm9v", "Zm 9v", "Zm9v\n", "Zm9v\r\n", "Zm\t9",
        "Zm+v", "Zm/v", "Zm9v.", "Zm9v?", "Zh", "Zv", "Zm9", "Zm_", "AB", "A_", "AAB", "Zm9\u{0}", "Zm9é",
        "Zm9v\u{FEFF}",
        "ZzZ",
    ])
    func `base64url and base64 refuse base64url that is not the one encoding of any bytes`(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "=", "====", "Zm9v====", "Z===", "Zh==", "Zm9=", "Zm-v", "Zm_v", "Z=g=",
        "=Zg=",
        "Zm9v\n", "Zm 9",
    ])
    func `base64url and base64 refuse base64 that is not the one encoding of any bytes`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `take no byte for a symbol that is none`() {
        let symbols = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<4 {
                var text: [UInt8] = Array("AAAA".utf8)
                text[place] = byte
                #expect((Base64URL.decode(text.span) != nil) == symbols.contains(byte))
            }
        }
    }

    @Test func `base64url and base64 make random tokens of the length asked`() {
        #expect(Random.token(byteCount: 32).utf8.count == 43)
        #expect(Random.token(byteCount: 32) != Random.token(byteCount: 32))
    }
}
