"""What drills, interoperation with others and scripts share: processes, ports, the simulated carriers, a client."""
