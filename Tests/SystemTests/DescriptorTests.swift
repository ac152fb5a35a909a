import Glibc
import System
import Testing

@Suite struct `Descriptors` {
    private struct Pipe: ~Copyable {
        let reading: OwnedDescriptor
        let writing: OwnedDescriptor

        init() throws {
            var numbers: [Int32] = [0, 0]
            try systemCall("pipe") { unsafe pipe(&numbers) }
            reading = OwnedDescriptor(owning: numbers[0])
            writing = OwnedDescriptor(owning: numbers[1])
        }
    }

    @Test func `descriptors that do not block are waited for until all is written`() throws {
        let pipe = try Pipe()
        _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
        // More than a pipe holds.
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let number = pipe.writing.number
        #expect(DetachedThread.start { DescriptorOutput(number).write(bytes.span) })
        let file = File(owning: try OwnedDescriptor(duplicating: pipe.reading.number))
        #expect(try file.readAll(limit: bytes.count) == bytes)
    }

    @Test func `descriptors that take no more say how much they took`() throws {
        signal(SIGPIPE, SIG_IGN)
        let writing: OwnedDescriptor
        do {
            let pipe = try Pipe()
            writing = try OwnedDescriptor(duplicating: pipe.writing.number)
        }
        #expect(DescriptorOutput(writing.number).write([1, 2].span) == 0)
        #expect(DescriptorOutput(-1).write([1].span) == 0)
    }

    @Test func `descriptors are duplicated to numbers of their own`() throws {
        let pipe = try Pipe()
        let other = try OwnedDescriptor(duplicating: pipe.writing.number)
        #expect(other.number != pipe.writing.number)
        #expect(fcntl(other.number, F_GETFD) == FD_CLOEXEC)
        #expect(throws: SystemError(call: "fcntl", code: EBADF)) { _ = try OwnedDescriptor(duplicating: -1) }
    }
}
