import Testing

@testable import System

@Suite struct `The usable processors` {
    private func usable(_ affinity: Int, _ files: [String: String]) -> Int {
        Processors.usable(affinity: affinity) { files[$0] }
    }

    @Test func `the usable processors are those the scheduler may choose from, where no group has a quota`() {
        #expect(usable(3, [:]) == 3)
        #expect(usable(8, ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"]) == 8)
        #expect(
            usable(
                8,
                [
                    "/proc/self/cgroup": "4:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                    "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                ]) == 8)
        #expect(usable(0, [:]) == 1)
        #expect(usable(256, [:]) == Processors.maximum)
        #expect((1...Processors.maximum).contains(Processors.usable))
    }

    @Test(arguments: [
        ("150000 100000\n", 2), ("200000 100000\n", 2), ("50000 100000\n", 1), ("1000 100000\n", 1),
        ("1600000 100000\n", 8), ("", 8), ("0 100000\n", 8), ("100000\n", 8), ("-1 0\n", 8),
    ])
    func `the usable processors are no more than a quota of version 2, rounded up`(_ text: String, count: Int) {
        #expect(usable(8, ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": text]) == count)
    }

    @Test func `obey the groups above their own`() {
        let files = [
            "/proc/self/cgroup": "0::/system.slice/gatehouse.service\n",
            "/sys/fs/cgroup/system.slice/cpu.max": "300000 100000\n",
            "/sys/fs/cgroup/system.slice/gatehouse.service/cpu.max": "600000 100000\n",
        ]
        #expect(usable(8, files) == 3)
    }

    @Test
    func
        `the usable processors are no more than a quota of version 1, whether the path is the container's or the machine's`()
    {
        var files = [
            "/proc/self/cgroup": "5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n0::/\n",
            "/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us": "250000\n",
            "/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us": "100000\n",
        ]
        #expect(usable(8, files) == 3)
        files["/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us"] = nil
        files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "50000\n"
        files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "50000\n"
        #expect(usable(8, files) == 1)
        // The accounting controller alone has no quota.
        files["/proc/self/cgroup"] = "4:cpuacct:/docker/1\n"
        #expect(usable(8, files) == 8)
    }
}
