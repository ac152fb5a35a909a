// A document that was read can be written again, reads the same, and is then written the same.
internal import FuzzSupport
internal import JSON

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let value = try? JSONValue(parsing: unsafe fuzzInput(start, count)) else { return 0 }
    let text = value.serialized
    guard let again = try? JSONValue(parsing: text) else {
        require(false, "a document written again can be read")
        return 0
    }
    require(again == value, "a document written again says the same")
    require(again.serialized == text, "a document is written in one way only")
    return 0
}
