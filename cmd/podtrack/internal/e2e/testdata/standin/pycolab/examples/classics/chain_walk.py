"""A game of pycolab, and as much of its engine as that needs."""

import collections

import numpy

Observation = collections.namedtuple("Observation", "board layers")


class Engine:
    def __init__(self):
        self.at, self.game_over, self.is_playing = 2, False, False

    def its_showtime(self):
        if self.is_playing:
            raise RuntimeError("its_showtime should not be called in play mode")
        self.is_playing = True
        return self.play(None)

    def play(self, actions):
        if self.game_over:
            raise RuntimeError("play() was called after the episode handled by this Engine has terminated.")
        self.at = min(max(self.at + {0: -1, 1: 1}.get(actions, 0), 0), 21)
        reward = {0: 1.0, 21: 100.0}.get(self.at)
        self.game_over = reward is not None
        board = numpy.full((1, 22), ord("."), numpy.uint8)
        board[0, self.at] = ord("P")
        return Observation(board, {c: board == ord(c) for c in ".P"}), reward, 0.0 if self.game_over else 1.0


def make_game():
    return Engine()
