import HTTPServer
import Testing

@Suite struct `Form fields` {
    private func pairs(_ text: String, limit: Int = 10) throws(FormError) -> [String] {
        try FormFields(parsing: text.utf8.span, limit: limit).fields.map { "\($0.name)>\($0.value)" }
    }

    @Test func `form fields are read in order with their encoding undone`() throws {
        #expect(
            try pairs("a=1&b=x+y&a=%C3%A9%26&c=&d&=e&f==&&g%3Dh=+") == [
                "a>1", "b>x y", "a>é&", "c>", "d>", ">e", "f>=", "g=h> ",
            ])
        #expect(try pairs("") == [])
    }

    @Test func `form fields are found by name, the first or all of them`() throws {
        let text = "a=1&b=2&a=3"
        let fields = try FormFields(parsing: text.utf8.span, limit: 3)
        #expect(fields["a"] == "1")
        #expect(fields["c"] == nil)
        #expect(fields.values("a") == ["1", "3"])
        #expect(fields.values("c") == [])
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "%=a", "a=%ff", "a=%C3", "a=%ED%A0%80", "a=%C0%80"])
    func `form fields are refused when badly encoded`(_ text: String) {
        #expect(throws: FormError.badEncoding) { try pairs(text) }
    }

    @Test func `form fields are refused when there are more than the limit`() throws {
        #expect(try pairs("a&b&c", limit: 3).count == 3)
        #expect(throws: FormError.tooManyFields) { try pairs("a&b&c&d", limit: 3) }
        #expect(throws: FormError.tooManyFields) { try pairs("a", limit: 0) }
    }
}
