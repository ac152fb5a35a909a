/// Something wrong, or right but unusual, that the simulation does when it is asked to.
///
/// Each has a name, which the control endpoint and the authorization parameter `misbehave` take. Names are unique over
/// all kinds.
public enum Misbehaviour: Sendable, Hashable {
    case idToken(IDTokenMisbehaviour)
    case dialect(DialectMisbehaviour)
    case portToken(PortTokenMisbehaviour)
    case portTokenShape(PortTokenShape)
    case tokenResponse(TokenResponseMisbehaviour)
    case userinfo(UserinfoMisbehaviour)
    case accessToken(AccessTokenMisbehaviour)
    case introspection(IntrospectionMisbehaviour)
    case document(DocumentMisbehaviour)
    case keys(KeySetMisbehaviour)
    case authorization(AuthorizationMisbehaviour)
    case push(PushMisbehaviour)
    case logout(LogoutMisbehaviour)
    case directory(DirectoryMisbehaviour)
    case answer(AnswerMisbehaviour)
    /// Another answer, to the byte; only from inside of a test.
    case scripted(ScriptedAnswer)
    /// The right answer with a place in it changed, and the right ID token's claims likewise, before they are signed;
    /// only from inside of a test.
    case edited(TextEdit)
    case editedClaims(TextEdit)
    /// The answer is held back for so long; its name is `slow_` and the number.
    case slow(milliseconds: Int)
    /// The answer is held back until it is released; only from inside of a test.
    case held(HeldAnswer)

    private static let slowPrefix = "slow_"
    private static let maximumDelay = 600_000

    /// Every one that has a name of its own: there is a `slow` for each number, and as many scripts as texts.
    public static let all: [Misbehaviour] =
        IDTokenMisbehaviour.allCases.map(idToken) + DialectMisbehaviour.allCases.map(dialect)
        + PortTokenMisbehaviour.allCases.map(portToken)
        + PortTokenShape.allCases.map(portTokenShape) + TokenResponseMisbehaviour.allCases.map(tokenResponse)
        + UserinfoMisbehaviour.allCases.map(userinfo) + AccessTokenMisbehaviour.allCases.map(accessToken)
        + IntrospectionMisbehaviour.allCases.map(introspection) + DocumentMisbehaviour.allCases.map(document)
        + KeySetMisbehaviour.allCases.map(keys) + AuthorizationMisbehaviour.allCases.map(authorization)
        + PushMisbehaviour.allCases.map(push) + LogoutMisbehaviour.allCases.map(logout)
        + DirectoryMisbehaviour.allCases.map(directory) + AnswerMisbehaviour.allCases.map(answer)

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    public var name: String {
        switch self {
        case .idToken(let value): value.rawValue
        case .dialect(let value): value.rawValue
        case .portToken(let value): value.rawValue
        case .portTokenShape(let value): value.rawValue
        case .tokenResponse(let value): value.rawValue
        case .userinfo(let value): value.rawValue
        case .accessToken(let value): value.rawValue
        case .introspection(let value): value.rawValue
        case .document(let value): value.rawValue
        case .keys(let value): value.rawValue
        case .authorization(let value): value.rawValue
        case .push(let value): value.rawValue
        case .logout(let value): value.rawValue
        case .directory(let value): value.rawValue
        case .answer(let value): value.rawValue
        case .scripted: "scripted"
        case .edited: "edited"
        case .editedClaims: "edited_claims"
        case .slow(let milliseconds): "\(Self.slowPrefix)\(milliseconds)"
        case .held: "held"
        }
    }

    /// The one of that name; nil when there is none.
    public init?(name: some StringProtocol) {
        if name.hasPrefix(Self.slowPrefix), let milliseconds = Int(name.dropFirst(Self.slowPrefix.count)),
            (0...Self.maximumDelay).contains(milliseconds)
        {
            self = .slow(milliseconds: milliseconds)
        } else if let known = Self.byName[String(name)] {
            self = known
        } else {
            return nil
        }
    }

    /// The endpoints it is for when none is named; nil for one that any endpoint can do.
    var ownEndpoints: [SimulatedEndpoint]? {
        switch self {
        case .idToken, .dialect, .editedClaims: [.token, .native]
        case .portToken, .portTokenShape, .tokenResponse, .accessToken: [.token]
        case .userinfo: [.userinfo]
        case .introspection: [.introspection]
        case .document: [.discovery, .configuration]
        case .keys: [.keys]
        case .authorization: [.authorize]
        case .push: [.push]
        case .logout: [.customLogout]
        case .directory: SimulatedEndpoint.ofDirectories
        case .answer, .slow, .held, .scripted, .edited: nil
        }
    }
}

extension [Misbehaviour] {
    var script: ScriptedAnswer? { found { if case .scripted(let value) = $0 { value } else { nil } } }
    var held: HeldAnswer? { found { if case .held(let value) = $0 { value } else { nil } } }
    var edits: [TextEdit] { compactMap { if case .edited(let value) = $0 { value } else { nil } } }
    var claimEdits: [TextEdit] { compactMap { if case .editedClaims(let value) = $0 { value } else { nil } } }
    var idToken: [IDTokenMisbehaviour] { compactMap { if case .idToken(let value) = $0 { value } else { nil } } }
    var dialect: [DialectMisbehaviour] { compactMap { if case .dialect(let value) = $0 { value } else { nil } } }
    var portToken: PortTokenMisbehaviour? { found { if case .portToken(let value) = $0 { value } else { nil } } }
    var portTokenShape: PortTokenShape? { found { if case .portTokenShape(let value) = $0 { value } else { nil } } }
    var userinfo: UserinfoMisbehaviour? { found { if case .userinfo(let value) = $0 { value } else { nil } } }
    var accessToken: AccessTokenMisbehaviour? {
        found { if case .accessToken(let value) = $0 { value } else { nil } }
    }
    var introspection: IntrospectionMisbehaviour? {
        found { if case .introspection(let value) = $0 { value } else { nil } }
    }
    var document: DocumentMisbehaviour? { found { if case .document(let value) = $0 { value } else { nil } } }
    var keys: KeySetMisbehaviour? { found { if case .keys(let value) = $0 { value } else { nil } } }
    var answer: AnswerMisbehaviour? { found { if case .answer(let value) = $0 { value } else { nil } } }
    var push: PushMisbehaviour? { found { if case .push(let value) = $0 { value } else { nil } } }
    var directory: DirectoryMisbehaviour? { found { if case .directory(let value) = $0 { value } else { nil } } }
    var logout: LogoutMisbehaviour? { found { if case .logout(let value) = $0 { value } else { nil } } }
    var tokenResponse: TokenResponseMisbehaviour? {
        found { if case .tokenResponse(let value) = $0 { value } else { nil } }
    }
    var authorization: AuthorizationMisbehaviour? {
        found { if case .authorization(let value) = $0 { value } else { nil } }
    }

    private func found<Value>(_ value: (Misbehaviour) -> Value?) -> Value? {
        for misbehaviour in self { if let value = value(misbehaviour) { return value } }
        return nil
    }
}
