import ArgumentParser
import Composition
import Crypto
import Glibc
import JOSE
import JSON
import Providers
import Settings
internal import System

/// `gatehouse id-token …`.
struct IDTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id-token", abstract: "Work with ID tokens.", subcommands: [Verify.self])

    /// Verifies a token by the very rules that a sign-in uses, to show why one was refused.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify an ID token read from standard input and print its claims.",
            discussion: "Exits 1 and names the rule that the token breaks.")

        private static let maximumTokenBytes = 32_768
        private static let maximumKeys = 100

        @Option(help: "The provider's JWK set, as a file.")
        var jwks: String
        @Option(help: "The issuer the token must name.")
        var issuer: String
        @Option(help: "Our client identifier at that issuer.")
        var clientID: String
        @Option(help: "The nonce of the authorization request.")
        var nonce: String?
        @Option(help: "The time to verify at, in seconds since 1970; the present when absent.")
        var at: Int64?
        @Option(help: "An algorithm that is allowed; may be given several times. RS256 when absent.")
        var alg: [String] = []
        @Option(help: "By how many seconds the clocks may differ.")
        var clockSkew: Int64 = 60
        @Flag(help: "Report a refusal as JSON on standard output, too.")
        var json = false

        func run() throws {
            let keys = try readKeys()
            let algorithms = try (alg.isEmpty ? ["RS256"] : alg).map { name in
                guard let algorithm = Crypto.SignatureAlgorithm(rawValue: name) else {
                    throw ValidationError("\(name) is not an algorithm that is ever allowed.")
                }
                return algorithm
            }
            let token = readToken()
            let verifier = IDTokenVerifier(
                issuer: IssuerNames(exactly: issuer), clientID: clientID,
                nonce: nonce.map { .exactly($0) } ?? .unknownToUs,
                authentication: [], context: .anything, freshness: .anyAge, accessToken: nil,
                accessTokenDigestOfEdDSA: .sha512, clockSkewSeconds: clockSkew)
            do {
                let verified = try JWS.verify(
                    token, keys: keys, allowed: algorithms, maximumByteCount: Self.maximumTokenBytes)
                let claims = try verifier.verify(verified, now: at ?? WallClock.now.seconds).claims
                StandardOutput.write(claims)
            } catch let error as JOSEError {
                try refuse(IDTokenError(error).rawValue)
            } catch let fault as IDTokenError {
                try refuse(fault.rawValue)
            }
        }

        private func refuse(_ rule: String) throws {
            if json {
                StandardOutput.write(["refused": .string(rule)] as JSONValue)
            } else {
                StandardError.write("The token is refused: \(rule)\n")
            }
            throw ExitCode(1)
        }

        private func readKeys() throws -> JWKSet {
            let text: String
            do {
                text = try Settings.contents(of: jwks)
            } catch {
                throw ValidationError("The file \(jwks) can't be read.")
            }
            do {
                return try JWKSet(parsing: text.utf8.span, maximumKeyCount: Self.maximumKeys)
            } catch {
                throw ValidationError("The file \(jwks) holds no JWK set.")
            }
        }

        private func readToken() -> String {
            var text = ""
            while text.utf8.count <= Self.maximumTokenBytes, let line = readLine(strippingNewline: true) {
                text += line
            }
            return text
        }
    }
}
