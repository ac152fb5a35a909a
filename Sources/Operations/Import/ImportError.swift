import Composition

/// What is wrong with a line, or an element, of an import. It never says what stands there: that is personal.
enum ImportError: Error, Equatable, CustomStringConvertible {
    enum Identity: String, Equatable {
        case notAnObject = "is not an object"
        case provider = "names no provider, or one that is not configured"
        case issuer = "has an issuer that its provider would never take an ID token of"
        case subject = "has no subject, or one that no ID token could have"
        case emailStopped = "has an email_stopped_at that is not a time in seconds since 1970 that has passed"
        case exported = "has no provider, or no subject that an ID token could have"
        case exportedWithoutSubjects = "has a reference in the place of its subject; export with --with-subjects"
    }

    case tooLong
    /// At this byte of the line.
    case notJSON(offset: Int)
    case notText
    case tooDeep
    case duplicateMember
    /// A user is found by it, or kept out.
    case doubtfulMember(String)
    case notAnObject
    case unknownMember
    case noIdentities
    case tooManyIdentities(most: Int)
    /// Which one, counted from 1.
    case identity(Int, Identity)
    /// `profile` or `own`.
    case attributes(String)
    /// One of `profile` or `own`, by its name, and what is wrong with it.
    case attribute(String, String, String)
    case tooManyAttributes(String, most: Int)
    case createdAt
    case lock
    /// Of a row of another product's.
    case noUserID
    case identitiesNotArray
    case exportedTime
    case notInOrder
    case brokenFile

    var description: String {
        switch self {
        case .tooLong: "it is too long"
        case .notJSON(let offset): "it is not JSON, from byte \(offset) on"
        case .notText: "a text in it is not UTF-8"
        case .tooDeep: "it nests too deep"
        case .duplicateMember: "an object in it has a member twice"
        case .doubtfulMember(let name): "its \(name) is there twice, or a text in it is no Unicode"
        case .notAnObject: "it is not a JSON object"
        case .unknownMember: "it has a member that is none of identities, profile, own, created_at and lock"
        case .noIdentities: "it has no identities, so nobody could sign in as this user"
        case .tooManyIdentities(let most): "it has more than \(most) identities"
        case .identity(let number, let fault): "identity \(number) \(fault.rawValue)"
        case .attributes(let name): "\(name) is not an object of named texts"
        case .attribute(let name, let attribute, let fault): "\(attribute) of \(name) \(fault)"
        case .tooManyAttributes(let name, let most): "\(name) has more than \(most) attributes"
        case .lock: "lock is not an object with until as a time in seconds since 1970, or without one"
        case .createdAt: "created_at is not a time in seconds since 1970 that has passed"
        case .noUserID: "it has no user_id"
        case .identitiesNotArray: "its identities are not an array"
        case .exportedTime: "its time of creation is none that has passed"
        case .notInOrder: "it is out of order; rows must be sorted by user_id, so that those of one user stand together"
        case .brokenFile: "here the file is not the JSON document that the format has, or it ends too early"
        }
    }
}
