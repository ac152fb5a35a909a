import HTTPTesting
import JSON
import Testing

/// What a user has, or has begun, when something is ended: each opens a way in afterwards, or opens none.
enum OpenedBefore: String, CaseIterable, Sendable {
    /// Sessions: of an app that uses the browser, of one that posts codes, and somebody else's at another provider.
    case appSession, postedSession, otherSession
    /// Sign-ins under way: a code that the app has yet to redeem here, a code of the provider's that an app has yet to
    /// post, and a browser that is on its way back from the provider.
    case appCode, postedCode, browserReturn

    static let ofTheUser: Set<Self> = Set(allCases).subtracting([.otherSession])
}

/// Every act that ends sessions, and what it ends.
enum EndingAct: String, CaseIterable, Sendable {
    // By an operator.
    case userSessions, userSessionsReauthenticate, oneSession, appSessions, appSessionsReauthenticate
    case providerSessions, providerSessionsReauthenticate, everybody, everybodyReauthenticate
    case lock, unlock, unlink, erasure, merge
    // By the user.
    case signOut, revocation, signOutEverywhere, oneOfOwnSessions, ownUnlink, ownErasure
    // By the provider.
    case logoutTokenBySubject, logoutTokenBySession, logoutTokenByTheSessionOfACode
    case appleEvent, riscEvent, facebookEvent, riscLock, riscHijacking

    enum Way: String, CaseIterable, Sendable { case api, commandLine }

    /// What becomes of a sign-in that begins afterwards.
    enum Afterwards: Sendable {
        case good
        /// It is good once the user has authenticated anew, in a later second.
        case goodByANewAuthentication
        case locked
    }

    var ways: [Way] {
        switch self {
        case .userSessions, .userSessionsReauthenticate, .oneSession, .appSessions, .appSessionsReauthenticate,
            .providerSessions, .providerSessionsReauthenticate, .everybody, .everybodyReauthenticate, .lock, .unlock,
            .unlink, .erasure, .merge:
            Way.allCases
        default: [.api]
        }
    }

    var ends: Set<OpenedBefore> {
        switch self {
        case .oneSession, .oneOfOwnSessions, .logoutTokenBySession: [.appSession]
        case .signOut, .revocation: [.postedSession]
        case .appSessions, .appSessionsReauthenticate: [.appSession, .appCode, .browserReturn]
        case .logoutTokenByTheSessionOfACode: [.appCode]
        case .everybody, .everybodyReauthenticate: Set(OpenedBefore.allCases)
        default: OpenedBefore.ofTheUser
        }
    }

    var afterwards: Afterwards {
        switch self {
        case .userSessionsReauthenticate, .appSessionsReauthenticate, .providerSessionsReauthenticate,
            .everybodyReauthenticate, .unlock:
            .goodByANewAuthentication
        case .lock, .riscLock, .riscHijacking: .locked
        // These tell of a user who must show that they can still sign in, or who has taken their consent back.
        default: .good
        }
    }

    /// What is begun last: a logout token by `sid` names the provider's newest session.
    var last: OpenedBefore? {
        switch self {
        case .logoutTokenBySession: .appSession
        case .logoutTokenByTheSessionOfACode: .appCode
        default: nil
        }
    }

    /// YAML lines of the provider.
    var plain: [String] {
        switch self {
        case .appleEvent: ToldAs.apple.lines
        case .facebookEvent: ToldAs.facebook.lines
        case .riscEvent, .riscLock: ToldAs.risc.lines
        case .riscHijacking: ToldAs.risc.lines + ["lockOnEvents: [hijacking]"]
        default: []
        }
    }
}

/// One cell of the table: an act, how it is done, and where.
struct EndingCase: CustomTestStringConvertible, Sendable {
    let act: EndingAct
    let way: EndingAct.Way

    static let all = EndingAct.allCases.flatMap { act in act.ways.map { EndingCase(act: act, way: $0) } }

    var testDescription: String { "\(act.rawValue) by \(way.rawValue)" }
}
