"""A module."""
from __future__ import annotations
import os
import os.path as p, sys
from . import models
from .db import Session, connect as open_db
from typing import *

LIMIT = 10
DEFAULT: Session = open_db("main")
left, right = split(LIMIT)


class Base:
    kind = "base"
    session: Session

    def __init__(self, session: Session, *args, limit=LIMIT, **kw):
        self.session = session
        self.cache = {}
        self.user = None
        self.user = models.User(name=kw)

    def load(self, key: str) -> models.User:
        return self.session.get(key)

    @classmethod
    def create(cls, path):
        return cls(open_db(path))

    @staticmethod
    def check(value):
        return value and value.ok or LIMIT


class Child(Base, models.Mixin, metaclass=abc.ABCMeta):
    def load(self, key):
        user = super().load(key)
        user.touch()
        again = self.load(key)
        return again.name

    def all(self, *keys: str) -> List[User]:
        global counter
        counter = counter + 1
        users = [self.load(k.lower()) for k in keys if k]
        for i, user in enumerate(users):
            user.save(i)
        for user in self.cache.values():
            total += user.size
        with self.session.begin() as tx:
            tx.commit()
        try:
            pass
        except models.NotFound as e:
            e.log()
        if (found := self.find(users)):
            found.show()
        return sorted(users, key=lambda u: u.name)


def helper(a, b: Base = None, *, c: Optional[Base] = None):
    def inner(x):
        return a.run(x)

    child = Child.create("x")
    child.load("y").delete()
    child = unknown
    child.load("z")
    first, (second, *rest) = child.pair()
    first.go(second.stop)
    items: list[Base] = []
    items[0].load(1)
    text = f"{child.name} {p.join('a')}"
    b = b or child
    b.load(text)
    return inner if a else helper


@app.route("/users", methods=["GET"])
async def users(request):
    data = await request.json()
    return helper(data)


path("/x/<id>", users, name="x")
app.get(r"/y")(users)

if TYPE_CHECKING:
    from .accounts import Account
    import ledger as books
else:
    from .fakes import Fake

if typing.TYPE_CHECKING:
    import typed_only
import after_it
