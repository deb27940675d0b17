import os


def make():
    import sumo_rl

    nets = os.path.join(os.path.dirname(sumo_rl.__file__), "nets", "single-intersection")
    return sumo_rl.SumoEnvironment(
        net_file=os.path.join(nets, "single-intersection.net.xml"),
        route_file=os.path.join(nets, "single-intersection.rou.xml"),
        single_agent=True,
        num_seconds=100,
        sumo_warnings=False,
    )
