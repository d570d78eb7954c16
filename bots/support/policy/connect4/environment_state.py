"""What a state of a game is in the policy course."""

from abc import ABC, abstractmethod


class EnvironmentState(ABC):
    @abstractmethod
    def is_final(self): ...

    @abstractmethod
    def is_applicable(self, event): ...

    @abstractmethod
    def transition(self, event): ...

    @abstractmethod
    def show(self): ...
