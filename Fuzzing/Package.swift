// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let parts = Target.Dependency.product(name: "GatehouseParts", package: "gatehouse")

/// One executable without a main function: the fuzzer's own calls `LLVMFuzzerTestOneInput`.
func fuzzer(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["FuzzSupport", parts], swiftSettings: settings)
}

let package = Package(
    name: "gatehouse-fuzzing",
    dependencies: [.package(name: "gatehouse", path: "..")],
    targets: [
        .target(name: "FuzzSupport", swiftSettings: settings),
        fuzzer("request-parser"),
        fuzzer("chunked-decoder"),
        fuzzer("jws"),
        fuzzer("jwk-set"),
        fuzzer("id-token-claims"),
        fuzzer("form-fields"),
        fuzzer("discovery-document"),
        fuzzer("json"),
        fuzzer("signed-request"),
        fuzzer("provider-answers"),
        fuzzer("response-parser"),
    ]
)
