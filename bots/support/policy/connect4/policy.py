"""What a policy is in its course."""

from abc import ABC, abstractmethod


class Policy(ABC):
    @abstractmethod
    def mount(self, *args): ...

    @abstractmethod
    def act(self, s): ...
