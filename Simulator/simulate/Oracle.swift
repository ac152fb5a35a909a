import CSimulation

/// What must be true of one person's account, by nothing but what was asked and answered.
///
/// An answer that never came leaves both futures open until one of them is seen.
struct Oracle {
    /// Whether something is so, is not so, or may be either.
    enum Known { case yes, no, unknown }

    /// A session as its app knows it.
    struct Session {
        let number: Int
        /// The app that has it, where it was opened through the browser.
        let client: String?
        var accessToken: String
        var accessTokenEnds: Int64
        var refreshToken: String
        /// Refresh tokens whose successors were presented: good for nothing any more.
        var spent: [String] = []
        var isOpen: Known = .yes
    }

    private(set) var user: Int64?
    private(set) var exists: Known = .no
    /// The ids of accounts that were erased for certain.
    private(set) var erased: [Int64] = []
    var sessions: [Session] = []
    /// Whether the plain provider signs the same user in.
    var isLinked: Known = .no
    private var numbers = 0
    /// When it was first answered that there is this account, and when it may last have changed, in nanoseconds of the
    /// world.
    private var since: Int64 = 0
    private var changed: Int64 = 0

    /// A sign-in was answered.
    ///
    /// - Parameters:
    ///   - isNew: nil where it was not told.
    ///   - client: see ``Session/client``.
    /// - Returns: what is wrong with the answer; nil where nothing is.
    mutating func signedIn(as id: Int64, isNew: Bool?, _ tokens: Tokens, client: String? = nil) -> String? {
        let before = user
        if before != id || exists != .yes { since = simulation_now() }
        defer { (user, exists) = (id, .yes) }
        numbers += 1
        sessions.append(
            Session(
                number: numbers, client: client, accessToken: tokens.access, accessTokenEnds: tokens.ends,
                refreshToken: tokens.refresh))
        if erased.contains(id) { return "user \(id) was erased, and is signed in" }
        guard let before, before != id else { return nil }
        if exists == .yes { return "user \(before) came back as user \(id): an account is lost" }
        // The erasure whose answer was lost has happened, and with it all sessions are over.
        erased.append(before)
        isLinked = .no
        for index in sessions.indices.dropLast() { sessions[index].isOpen = .no }
        return isNew ?? true ? nil : "user \(id) is not new, and was never answered"
    }

    /// A sign-in was not answered: there may be an account.
    mutating func mayBeSignedIn() { if exists == .no { exists = .unknown } }

    /// The sessions from before a move end, since somebody who has the old number now may have the old phone's ways in.
    ///
    /// - Parameter isCertain: false where it was not told that there was a move.
    mutating func movedToAnotherCarrier(isCertain: Bool = true) {
        let ended = isCertain ? sessions.indices.dropLast() : sessions.indices
        for index in ended where sessions[index].isOpen != .no { sessions[index].isOpen = isCertain ? .no : .unknown }
    }

    mutating func erasureAnswered() {
        if let user { erased.append(user) }
        (user, exists, isLinked) = (nil, .no, .no)
        for index in sessions.indices { sessions[index].isOpen = .no }
    }

    mutating func mayBeErased() {
        if exists == .yes { exists = .unknown }
        if isLinked == .yes { isLinked = .unknown }
        for index in sessions.indices where sessions[index].isOpen == .yes { sessions[index].isOpen = .unknown }
    }

    /// Its identities may have been others' since, or become others.
    mutating func mayHaveChanged() { changed = simulation_now() }

    /// A backup has taken the store's place. All sessions end with it, and what came after it is gone.
    mutating func restored(_ began: Int64) {
        for index in sessions.indices { sessions[index].isOpen = .no }
        if exists == .yes, since >= began || changed >= began { exists = .unknown }
        if isLinked == .yes || changed >= began { isLinked = .unknown }
    }
}
