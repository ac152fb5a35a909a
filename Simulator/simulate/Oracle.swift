/// What must be true of one person's account, by nothing but what was asked and answered.
///
/// An answer that never came leaves both futures open until one of them is seen.
struct Oracle {
    /// Whether something is so, is not so, or may be either.
    enum Known { case yes, no, unknown }

    /// A session as its app knows it.
    struct Session {
        let number: Int
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

    /// A sign-in was answered.
    ///
    /// - Returns: what is wrong with the answer; nil where nothing is.
    mutating func signedIn(as id: Int64, isNew: Bool, access: String, ends: Int64, refresh: String) -> String? {
        let before = user
        defer { (user, exists) = (id, .yes) }
        numbers += 1
        sessions.append(Session(number: numbers, accessToken: access, accessTokenEnds: ends, refreshToken: refresh))
        if erased.contains(id) { return "user \(id) was erased, and is signed in" }
        guard let before, before != id else { return nil }
        if exists == .yes { return "user \(before) came back as user \(id): an account is lost" }
        // The erasure whose answer was lost has happened, and with it all sessions are over.
        erased.append(before)
        isLinked = .no
        for index in sessions.indices.dropLast() { sessions[index].isOpen = .no }
        return isNew ? nil : "user \(id) is not new, and was never answered"
    }

    /// A sign-in was not answered: there may be an account.
    mutating func mayBeSignedIn() { if exists == .no { exists = .unknown } }

    /// The sessions from before a move end, since somebody who has the old number now may have the old phone's ways in.
    mutating func movedToAnotherCarrier() {
        for index in sessions.indices.dropLast() { sessions[index].isOpen = .no }
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
}
