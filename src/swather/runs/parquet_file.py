"""Items as Parquet."""

from collections.abc import Iterable
from importlib import import_module
from typing import IO, Any

from swather.runs.arrow_table import record_batches, schema_of
from swather.runs.table import Columns


def write_parquet(items: Iterable[Any], columns: Columns, stream: IO[bytes]) -> None:
    schema = schema_of(columns)
    parquet = import_module("pyarrow.parquet")
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        for batch in record_batches(items, columns):
            writer.write_batch(batch)
