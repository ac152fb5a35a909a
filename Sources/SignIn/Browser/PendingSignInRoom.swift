internal import Accounts
internal import Synchronization

/// Sees to it that pending sign-ins through the browser never take more room in the store than they may, whatever
/// strangers begin.
///
/// To look at all of them with each one would cost each as much as there are. So the store is looked at whenever this
/// process has begun another small part of what may be, by the one whose turn that is, before theirs is stored; and
/// what may have been begun since, here and at other instances, is kept free.
public final class PendingSignInRoom: Sendable {
    /// Into how many parts the room is divided that may be begun between two looks.
    private static let parts: Int64 = 128
    /// Which part of the bytes one address may hold.
    private static let holders: Int64 = 20

    private struct State {
        var rows = Int64.max / 2
        var bytes = Int64.max / 2
        var isLooking = false
    }

    private enum Turn { case goOn, look, wait }

    // Another instance may have filled the store before this one began, so the first one looks.
    private let state = Mutex(State())

    public init() {}

    /// Makes room for one more.
    ///
    /// - Parameter bound: removes what is beyond these bounds.
    /// - Throws: `ServiceError.overloaded` while a look is under way and too many have begun since; what `bound`
    ///   throws.
    func admit(
        _ byteCount: Int64, _ limits: BrowserSignIn.Limits, bound: (PendingBounds) async throws(ServiceError) -> Void
    ) async throws(ServiceError) {
        let rows = max(1, limits.maximumPending / Self.parts / limits.instances)
        let bytes = max(1, limits.maximumBytes / Self.parts / limits.instances)
        let turn = state.withLock { state -> Turn in
            state.rows += 1
            state.bytes += byteCount
            guard state.rows > rows || state.bytes > bytes else { return .goOn }
            if state.isLooking { return state.rows > 2 * rows || state.bytes > 2 * bytes ? .wait : .goOn }
            state = State(rows: 1, bytes: byteCount, isLooking: true)
            return .look
        }
        switch turn {
        case .goOn: return
        case .wait: throw .overloaded
        case .look: break
        }
        do throws(ServiceError) {
            try await bound(Self.bounds(limits))
            state.withLock { $0.isLooking = false }
        } catch {
            state.withLock { $0 = State() }
            throw error
        }
    }

    /// What may be there after a look. All instances together may begin two parts until the next one.
    private static func bounds(_ limits: BrowserSignIn.Limits) -> PendingBounds {
        let free = limits.maximumBytes / parts * 2
        return PendingBounds(
            rows: max(1, limits.maximumPending - limits.maximumPending / parts * 2), bytes: limits.maximumBytes - free,
            bytesPerHolder: limits.maximumBytes / holders - free)
    }
}
