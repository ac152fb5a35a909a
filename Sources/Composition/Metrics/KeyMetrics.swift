import Accounts
import SignIn
import System
import Telemetry

/// How old the keys are that sign.
struct KeyMetrics: MetricSource {
    private static let age = MetricFamily(
        .gauge, "gatehouse_signing_key_age_seconds", unit: "seconds", "How long ago the key was made that signs.")

    let keys: SessionKeys
    let clock: Clock

    func readings() -> [MetricReading] {
        let now = clock.seconds
        return [
            MetricReading(
                Self.age,
                keys.signingSince.map { purpose, createdAt in
                    MetricSample([("purpose", purpose.rawValue)], Double(max(0, now - createdAt)))
                })
        ]
    }
}
