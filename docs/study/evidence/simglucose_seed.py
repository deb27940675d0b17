# simglucose: DET001: reset() with one seed gives different observations
import simglucose.envs

firsts = {
    simglucose.envs.T1DSimGymnaisumEnv(patient_name="adolescent#002").reset(seed=0)[0].tobytes()
    for _ in range(4)
}
print(f"{len(firsts)} different first observations of four instances with seed 0")
assert len(firsts) > 1
