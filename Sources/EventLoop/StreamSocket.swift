internal import CLinux
import Glibc
public import System

/// A connected TCP socket, non-blocking, with one owner that closes it.
public struct StreamSocket: ~Copyable, Sendable {
    /// What came of a try to read.
    public enum Received: Equatable, Sendable {
        /// So many bytes were read, at least one.
        case bytes(Int)
        /// Nothing is there yet.
        case wouldBlock
        /// The peer has said its last.
        case endOfStream
    }

    private let descriptor: OwnedDescriptor

    init(owning number: Int32) {
        descriptor = OwnedDescriptor(owning: number)
    }

    /// The number to register with a loop; valid while this socket lives.
    public var number: Int32 { descriptor.number }

    /// Reads up to `capacity` bytes and appends them to `buffer`.
    ///
    /// - Throws: `SystemError`, of which `ECONNRESET` is an everyday one.
    public borrowing func receive(
        into buffer: inout [UInt8], upTo capacity: Int
    ) throws(SystemError) -> Received {
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: capacity))
        let number = descriptor.number
        var received: Int?
        do {
            received = try nonBlockingCall("recv") {
                unsafe buffer.withUnsafeMutableBytes {
                    unsafe recv(number, $0.baseAddress?.advanced(by: start), capacity, 0)
                }
            }
        } catch {
            buffer.removeLast(capacity)
            throw error
        }
        buffer.removeLast(capacity - max(0, received ?? 0))
        return switch received {
        case nil: .wouldBlock
        case 0: .endOfStream
        case .some(let count): .bytes(count)
        }
    }

    /// Reads as many bytes as fit into `buffer`, over what it held from its beginning on; its length stays.
    ///
    /// Many connections share one buffer in this way, so that one that waits has none.
    ///
    /// - Throws: `SystemError`, of which `ECONNRESET` is an everyday one.
    public borrowing func receive(overwriting buffer: inout [UInt8]) throws(SystemError) -> Received {
        let number = descriptor.number
        let received = try nonBlockingCall("recv") {
            unsafe buffer.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
        }
        return switch received {
        case nil: .wouldBlock
        case 0: .endOfStream
        case .some(let count): .bytes(count)
        }
    }

    /// Writes as much of `bytes`, from `offset` on, as the system takes now.
    ///
    /// - Returns: how many bytes it took; 0 when it would block.
    public borrowing func send(_ bytes: [UInt8], from offset: Int) throws(SystemError) -> Int {
        let number = descriptor.number
        let sent = try nonBlockingCall("send") {
            unsafe bytes.withUnsafeBytes { raw in
                // A peer that is gone is an error to handle here, not a signal that ends the process.
                unsafe Glibc.send(
                    number, raw.baseAddress?.advanced(by: offset), raw.count - offset, Int32(MSG_NOSIGNAL))
            }
        }
        return sent ?? 0
    }

    /// Writes as much of `first` and, behind it, of `second` as the system takes now, from `offset` on, which counts
    /// over both. Neither is copied.
    ///
    /// - Returns: how many bytes it took; 0 when it would block.
    public borrowing func send(
        _ first: [UInt8], _ second: [UInt8], from offset: Int
    ) throws(SystemError) -> Int {
        let number = descriptor.number
        let inFirst = min(offset, first.count)
        let sent = try nonBlockingCall("sendmsg") {
            unsafe first.withUnsafeBytes { first in
                unsafe second.withUnsafeBytes { second in
                    let (head, tail) = unsafe (first[inFirst...], second[(offset - inFirst)...])
                    return unsafe clinux_send_two(
                        number, UnsafeRawBufferPointer(rebasing: head).baseAddress, head.count,
                        UnsafeRawBufferPointer(rebasing: tail).baseAddress, tail.count)
                }
            }
        }
        return sent ?? 0
    }

    /// Sends small answers at once instead of waiting for more to send (`TCP_NODELAY`).
    public borrowing func disableNagle() {
        var one: Int32 = 1
        // It fails only for a connection that is already gone, which the next read will tell.
        _ = unsafe setsockopt(
            descriptor.number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Says that nothing more will be sent, so that the peer reads the last answer before it sees the close.
    public borrowing func shutdownSending() {
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
    }
}
