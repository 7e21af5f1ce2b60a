"""Ctrl-C may come at any moment: no transaction of SQLite is left open by it."""

from contextlib import closing
from pathlib import Path

import pytest

import swather.store
from swather.store.clock import Clock
from swather.store.sqlite.connection import Connection


class Interrupted(Connection):
    """Ctrl-C comes just after a statement that begins like this."""

    comes_after = ""

    def execute(self, sql, bindings=()):
        super().execute(sql, bindings)
        if self.comes_after and sql.startswith(self.comes_after):
            self.comes_after = ""
            raise KeyboardInterrupt


@pytest.mark.parametrize("block", ["transaction", "reading"])
@pytest.mark.parametrize("moment", ["BEGIN", "COMMIT"])
def test_an_interrupt_leaves_no_transaction_open(tmp_path: Path, block: str, moment: str):
    swather.store.open(f"sqlite:///{tmp_path}/queue.db").close()
    with closing(Interrupted(tmp_path / "queue.db", Clock())) as connection:
        connection.comes_after = moment
        with pytest.raises(KeyboardInterrupt), getattr(connection, block)():
            pass
        assert connection.db.get_autocommit()
        with connection.transaction():
            connection.execute("UPDATE control SET token = token + 1")
        with closing(Connection(tmp_path / "queue.db", Clock())) as other, other.transaction():
            pass
