/// The key whose name is nearest to one that nobody knows.
enum KnownNames {
    /// - Parameters:
    ///   - name: the unknown name, with its sections.
    ///   - known: every full name that could have been meant.
    /// - Returns: the nearest; among equally near ones that of the same section, then the first.
    static func nearest(to name: String, among known: [String]) -> String? {
        let (section, last) = split(name)
        return known.min { cost($0, section, last) < cost($1, section, last) }
    }

    /// Letters to change, and a little for another section: a key is misspelled more often than misplaced.
    private static func cost(_ candidate: String, _ section: Substring, _ last: Substring) -> Int {
        let (candidateSection, candidateLast) = split(candidate)
        let letters = distance(last.lowercased(), candidateLast.lowercased()) * 4
        return letters + (candidateSection == section ? 0 : 5) + (candidateLast == last ? 0 : 1)
    }

    private static func split(_ name: String) -> (section: Substring, last: Substring) {
        guard let dot = name.lastIndex(of: ".") else { return ("", name[...]) }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    /// Levenshtein's distance: the fewest letters to insert, delete or replace.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
