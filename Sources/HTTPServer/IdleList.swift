/// The idle connections of one loop by descriptor number, the one that has been idle longest first.
///
/// Entering and leaving take a few instructions, since every request does both.
struct IdleList {
    private struct Link {
        var previous: Int32 = Self.none
        var next: Int32 = Self.none
        var isIn = false

        static let none: Int32 = -1
    }

    private var links: [Link] = []
    private var first = Link.none
    private var last = Link.none

    /// The descriptor number of the connection that has been idle longest.
    var oldest: Int32? { first == Link.none ? nil : first }

    /// Enters a connection as the one that became idle last. One that is in stays where it is.
    mutating func enter(_ number: Int32) {
        let index = Int(number)
        while links.count <= index { links.append(Link()) }
        guard !links[index].isIn else { return }
        links[index] = Link(previous: last, next: Link.none, isIn: true)
        if last == Link.none { first = number } else { links[Int(last)].next = number }
        last = number
    }

    /// Takes a connection out; one that is not in is no error.
    mutating func leave(_ number: Int32) {
        let index = Int(number)
        guard index < links.count, links[index].isIn else { return }
        let link = links[index]
        if link.previous == Link.none { first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next == Link.none { last = link.previous } else { links[Int(link.next)].previous = link.previous }
        links[index] = Link()
    }
}
