// A form that was read can be written again and read the same.
internal import FuzzSupport
internal import HTTPServer

private let limit = 16

private func encoded(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe fuzzInput(start, count)
    guard let form = try? FormFields(parsing: bytes.span, limit: limit) else { return 0 }
    require(form.fields.count <= limit, "there are as many fields as the limit allows")
    let text = form.fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    guard let again = try? FormFields(parsing: text.utf8.span, limit: limit) else {
        require(false, "a form written again can be read")
        return 0
    }
    require(
        again.fields.elementsEqual(form.fields) {
            $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
        }, "a form written again says the same")
    return 0
}
