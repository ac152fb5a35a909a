import Composition
import JSON
import System

/// Standard output, for what a command was asked for.
enum StandardOutput {
    static func write(_ text: String) { print(text, terminator: "") }
    static func write(_ value: JSONValue) { print(String(decoding: value.serialized, as: UTF8.self)) }
}

/// Standard error, for what went wrong.
package enum StandardError {
    package static func write(_ text: String) { write(Array(text.utf8)) }

    @Sendable package static func write(_ bytes: [UInt8]) {
        DescriptorOutput.standardError.write(bytes.span)
    }
}
