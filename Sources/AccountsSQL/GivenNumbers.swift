/// Up to which number users, identities and events of the audit trail were given theirs.
package struct GivenNumbers {
    package var users: Int64
    package var identities: Int64
    package var events: Int64

    package init(users: Int64, identities: Int64, events: Int64) {
        (self.users, self.identities, self.events) = (users, identities, events)
    }

    package mutating func raise(to other: GivenNumbers) {
        users = max(users, other.users)
        identities = max(identities, other.identities)
        events = max(events, other.events)
    }
}
