import System
import Testing

@Suite struct `The arguments of the program` {
    @Test func `are those of the command line, without the program's name`() {
        #expect(ProgramArguments.read(otherwise: ["other"]) == Array(CommandLine.arguments.dropFirst()))
    }
}
