"""Instances that share a store, as those reach them who use them: by any that is not on its way out."""

import random
from collections.abc import Mapping
from typing import Protocol, Unpack

from gatehouse import Gatehouse
from testbed.client import LOST, Answer, Client, Content


class CutOff(Exception):
    """The request was under way at an instance that the drill has killed."""


class Reached(Protocol):
    """What apps know of instances: their names, and how to ask one."""

    def pair(self) -> tuple[str, str]: ...

    def other(self, name: str) -> str: ...

    def call(self, name: str, method: str, path: str, **content: Unpack[Content]) -> Answer: ...


class Proxied:
    """Whatever a proxy leads to, as one instance."""

    def __init__(self, port: int) -> None:
        self.port = port

    def pair(self) -> tuple[str, str]:
        return "proxy", "proxy"

    def other(self, name: str) -> str:
        return name

    def call(self, _: str, method: str, path: str, **content: Unpack[Content]) -> Answer:
        with Client(self.port) as client:
            return client.call(method, path, **content)


class Fleet:
    def __init__(self, instances: Mapping[str, Gatehouse]) -> None:
        self.instances = dict(instances)
        # Those that get no more requests, and those processes of them that were killed.
        self.leaving: set[str] = set()
        self.killed: set[Gatehouse] = set()

    def pair(self) -> tuple[str, str]:
        """Two instances that take requests, in any order; one twice where there is no other."""
        names = [name for name in self.instances if name not in self.leaving]
        random.shuffle(names)
        return names[0], names[-1]

    def other(self, name: str) -> str:
        """The name of another instance than that; the same where there is no other."""
        return random.choice([one for one in self.instances if one != name] or [name])

    def call(self, name: str, method: str, path: str, **content: Unpack[Content]) -> Answer:
        """One request of one instance.

        Raises `CutOff` where the instance was killed meanwhile, and else one of `LOST` when no answer comes.
        """
        instance = self.instances[name]
        try:
            return instance.call(method, path, **content)
        except LOST as error:
            if instance in self.killed:
                raise CutOff from error
            raise

    def kill(self, name: str) -> None:
        """Kills an instance. Requests that have begun there may be cut off; no other comes to it."""
        self.leaving.add(name)
        self.killed.add(self.instances[name])
        self.instances[name].kill()

    def replace(self, name: str, instance: Gatehouse) -> None:
        self.instances[name] = instance
        self.leaving.discard(name)
