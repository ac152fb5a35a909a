"""Instances that share a store, as those reach them who use them: by any that is not on its way out."""

import random

from testbed.client import LOST, Client


class CutOff(Exception):
    """The request was under way at an instance that the drill has killed."""


class Proxied:
    """Whatever a proxy leads to, as one instance."""

    def __init__(self, port):
        self.port = port

    def call(self, method, path, **content):
        with Client(self.port) as client:
            return client.call(method, path, **content)


class Fleet:
    def __init__(self, instances):
        """`instances` by name: servers, or what is called as they are."""
        self.instances = dict(instances)
        # Those that get no more requests, and those processes of them that were killed.
        self.leaving, self.killed = set(), set()

    def pair(self):
        """Two instances that take requests, in any order; one twice where there is no other."""
        names = [name for name in self.instances if name not in self.leaving]
        random.shuffle(names)
        return names[0], names[-1]

    def other(self, name):
        """The name of another instance than that; the same where there is no other."""
        return random.choice([one for one in self.instances if one != name] or [name])

    def call(self, name, method, path, **content):
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

    def kill(self, name):
        """Kills an instance. Requests that have begun there may be cut off; no other comes to it."""
        self.leaving.add(name)
        self.killed.add(self.instances[name])
        self.instances[name].kill()

    def replace(self, name, instance):
        self.instances[name] = instance
        self.leaving.discard(name)
