"""A robot drives to a goal, past boxes; a laser looks for them."""

import random

import numpy as np


class GazeboEnv:
    def __init__(self, environment_dim):
        self.environment_dim = environment_dim
        self.upper, self.lower = 5.0, -5.0

    def reset(self):
        self.angle = np.random.uniform(-np.pi, np.pi)
        self.position = np.random.uniform(-4.5, 4.5, 2)
        self.change_goal()
        self.boxes = np.random.uniform(-6, 6, (4, 2))
        self.steps = 0
        return self.state()

    def change_goal(self):
        if self.upper < 10:
            self.upper += 0.004
        if self.lower > -10:
            self.lower -= 0.004
        goal_x = self.position[0] + random.uniform(self.upper, self.lower)
        goal_y = self.position[1] + random.uniform(self.upper, self.lower)
        self.goal = np.array([goal_x, goal_y])

    def state(self):
        bearings = self.boxes - self.position
        angles = np.arctan2(bearings[:, 1], bearings[:, 0]) - self.angle
        laser = np.full(self.environment_dim, 10.0)
        sectors = (angles / (2 * np.pi) * self.environment_dim).astype(int)
        laser[sectors % self.environment_dim] = np.linalg.norm(bearings, axis=1)
        return np.append(laser, [np.linalg.norm(self.goal - self.position), self.angle])

    def step(self, action):
        before = np.linalg.norm(self.goal - self.position)
        self.angle += 0.1 * action[1]
        self.position += 0.1 * action[0] * np.array([np.cos(self.angle), np.sin(self.angle)])
        self.steps += 1
        distance = np.linalg.norm(self.goal - self.position)
        done = distance < 0.3 or self.steps == 50
        return self.state(), float(before - distance), bool(done), distance < 0.3
