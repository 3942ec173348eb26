"""Writes the ORC files of this folder with other people's writers, and beside
them what is in them, as text.

(Make.java writes some more, with the Java writer.)

    python3 -m venv venv
    venv/bin/pip install pyarrow==26.0.1 pyorc==0.12.0
    venv/bin/python make.py

The values are made here and are the truth: no reader is asked for them, but
pyarrow has to read the same out of its own files.

A file is called <table>.<how it was written>.orc, and its rows are in
<table>.txt: "-" is null, strings begin with "=" and have everything unusual as
%XX, times are Unix milliseconds. Tables of many rows have only some of them in
the text, and the SHA-256 of all.
"""

import hashlib
import random
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.orc as po
import pyorc

HERE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
PLAIN = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-")


def ns(text, nanos=0):
    """An instant in nanoseconds since 1970."""
    at = datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
    delta = at - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (delta.days * 86400 + delta.seconds) * 10**9 + nanos


def cell(v, time):
    if v is None:
        return "-"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, int):
        return str(v // 10**6 if time else v)
    b = v.encode() if isinstance(v, str) else v
    if len(b) > 2000:
        return f"={len(b)} bytes {hashlib.sha256(b).hexdigest()}"
    return "=" + "".join(chr(c) if c in PLAIN else f"%{c:02X}" for c in b)


def say(name, columns, times=()):
    """Writes the text of a table: {column: values}."""
    rows = list(zip(*columns.values()))
    lines = ["\t".join(cell(v, c in times) for c, v in zip(columns, row)) for row in rows]
    digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
    shown = [i for i in range(len(lines)) if len(lines) <= 130 or i < 5 or i % 250 == 0]
    with open(HERE / f"{name}.txt", "w") as f:
        f.write(f"columns {' '.join(columns)}\nrows {len(lines)}\nsha256 {digest}\n")
        for i in shown:
            f.write(f"{i}\t{lines[i]}\n")


def arrow(name, how, table, **options):
    path = HERE / f"{name}.{how}.orc"
    po.write_table(table, path, **options)
    back = po.ORCFile(path).read()
    assert back.equals(table.cast(back.schema)), f"{name} {how}: pyarrow reads something else"


def every_way(name, table, compressions, versions=("0.11", "0.12"), dictionaries=(0, 1), **options):
    for compression in compressions:
        for version in versions:
            for d in dictionaries:
                how = f"{compression}-{version.replace('.', '')}-{'dict' if d else 'direct'}"
                arrow(name, how, table, compression=compression, file_version=version,
                      dictionary_key_size_threshold=d, **options)


def inventory(r, n):
    classes = ["STANDARD", "GLACIER", "INTELLIGENT_TIERING"]
    rows = {c: [] for c in ("bucket", "key", "version_id", "is_latest", "is_delete_marker", "size",
                            "last_modified_date", "e_tag", "storage_class")}
    odd = ["k/a b", "k/a+b", "k/a%20b", "k/é", "k/日本", "k/tab\there", "k/\u0000", "x" * 1024]
    for i in range(n):
        marker = r.random() < 0.1
        rows["bucket"].append("uploads-eu")
        rows["key"].append(odd[i] if i < len(odd) else f"tenants/acme/u-{r.randrange(10**4):04}/1/{i:06}")
        rows["version_id"].append(None if r.random() < 0.3 else "%012x" % r.getrandbits(48))
        rows["is_latest"].append(r.random() < 0.8)
        rows["is_delete_marker"].append(marker)
        rows["size"].append(None if marker else r.choice([0, 5, 5 * 2**20, r.randrange(2**40)]))
        rows["last_modified_date"].append(ns("2026-11-01T01:00:00") + r.randrange(10**9) * 10**6)
        rows["e_tag"].append(None if marker else "%032x" % (i // 7))
        rows["storage_class"].append(None if marker else r.choice(classes))
    return rows


def as_text(rows):
    """The same, as a Hive table of nothing but strings has it."""
    text = {}
    for c, values in rows.items():
        if c == "last_modified_date":
            text[c] = [datetime.fromtimestamp(v / 10**9, timezone.utc).isoformat(timespec="milliseconds")
                       .replace("+00:00", "Z") for v in values]
        else:
            text[c] = [None if v is None else str(v) for v in values]
    return pa.table(text, schema=pa.schema([(c, pa.string()) for c in rows]))


INVENTORY = pa.schema([("bucket", pa.string()), ("key", pa.string()), ("version_id", pa.string()),
                       ("is_latest", pa.bool_()), ("is_delete_marker", pa.bool_()), ("size", pa.int64()),
                       ("last_modified_date", pa.timestamp("ns")), ("e_tag", pa.string()),
                       ("storage_class", pa.string())])


def numbers(r, n):
    """Every kind of run: repeats, widths, outliers (patches), deltas."""
    top, bottom = 2**63 - 1, -2**63
    outliers = [r.randrange(100) for _ in range(n)]
    for i in r.sample(range(n), n // 40):
        outliers[i] = r.choice([2**20, 2**33, 2**50]) + r.randrange(1000)
    far = [r.randrange(-50, 50) for _ in range(n)]
    for i in (0, 300, 301, 911, 1500):  # gaps that need an empty patch
        far[i] = -50 if i == 0 else 2**40
    widths = []
    while len(widths) < n:
        w = r.choice([*range(1, 30), 33, 41, 50, 57, 63])
        widths += [r.randrange(-2**w, 2**w) for _ in range(r.randrange(1, 40))]
    steps = []
    while len(steps) < n:
        step, start = r.choice([0, 1, -1, 127, -128, 128, 5000]), r.randrange(-10**6, 10**6)
        steps += [start + step * k for k in range(r.randrange(1, 200))]
    rising, falling = [-5], [10**9]
    for i in range(n - 1):
        rising.append(rising[-1] + r.randrange(0, 9))
        falling.append(falling[-1] - r.randrange(0, 90000))
    return {
        "constant": [42] * n,
        "outliers": outliers,
        "far": far,
        "widths": widths[:n],
        "steps": steps[:n],
        "rising": rising,
        "falling": falling,
        "ends": [(top, bottom, 0, -1)[i % 4] if i < 40 else 0 for i in range(n)],
        "tiny": [i % 256 - 128 if i % 11 else 7 for i in range(n)],
        "short": [(i * i) % 65536 - 32768 if i % 7 == 0 else 3 for i in range(n)],
        "int": [(i * 7919) % 2**20 - 2**19 if i % 5 == 0 else i for i in range(n)],
    }


NUMBERS = pa.schema([(c, pa.int64()) for c in ("constant", "outliers", "far", "widths", "steps", "rising", "falling",
                                               "ends")] + [("tiny", pa.int8()), ("short", pa.int16()),
                                                           ("int", pa.int32())])


def nulls(n):
    """Patterns of null in every kind of column."""
    patterns = {
        "all": lambda i: True, "none": lambda i: False, "other": lambda i: i % 2 == 0,
        "first": lambda i: i < n // 2, "last": lambda i: i >= n - 1, "runs": lambda i: i // 130 % 2 == 0,
    }
    columns, fields, times = {}, [], set()
    for p, null in patterns.items():
        for kind, make in {"long": lambda i: i * 3 - 50, "text": lambda i: f"v{i % 50}", "bool": lambda i: i % 3 == 0,
                           "time": lambda i: ns("2020-02-29T12:00:00", i * 10**6)}.items():
            name = f"{p}_{kind}"
            columns[name] = [None if null(i) else make(i) for i in range(n)]
            fields.append((name, {"long": pa.int64(), "text": pa.string(), "bool": pa.bool_(),
                                  "time": pa.timestamp("ns")}[kind]))
            if kind == "time":
                times.add(name)
    return columns, pa.schema(fields), times


def texts(r):
    values = ["", "a", "", "x" * 300_000, "é" * 999, " lead and trail ", "\n\t\"\\", "=", "-", None]
    values += ["w%d" % r.randrange(5) for _ in range(60)]
    blobs = [bytes(range(256)), b"", b"\xff\xfe", None, b"\x00" * 1025]
    blobs += [bytes(r.randrange(256) for _ in range(r.randrange(6))) for _ in range(len(values) - len(blobs))]
    return {"text": values, "blob": blobs}


def times():
    """Before and after 1970 and 2015, with every number of trailing zeros."""
    at = [ns(y) for y in ("1970-01-01T00:00:00", "2014-12-31T23:59:59", "2015-01-01T00:00:00", "2026-11-28T01:00:00",
                          "1969-12-31T23:59:58", "1969-12-31T23:59:59", "1900-03-01T00:00:00", "2200-01-01T00:00:00", "2024-02-29T23:59:59")]
    parts = [0, 1, 10, 100, 1_000, 10_000, 100_000, 999_999, 1_000_000, 10_000_000, 100_000_000, 999_000_000,
             999_999_999, 123_456_789, 120_000_000]
    return [a + p for a in at for p in parts]


def zoned(zone, values):
    """A timestamp column as a writer in that zone makes it, and an instant."""
    name = zone.replace("/", "_")
    with open(HERE / f"zones.{name}.orc", "wb") as f:
        w = pyorc.Writer(f, "struct<wall:timestamp,instant:timestamp with local time zone>",
                         compression=pyorc.CompressionKind.ZLIB, timezone=ZoneInfo(zone))
        for v in values:
            # The clock on the wall there shows v, whatever v is here.
            wall = (datetime(1970, 1, 1) + timedelta(microseconds=v)).replace(tzinfo=ZoneInfo(zone))
            w.write((wall, datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=v)))
        w.close()


def neighbours(r):
    """Types that are not read stand beside ones that are; bloom filters too."""
    with open(HERE / "neighbours.nested-bloom.orc", "wb") as f:
        w = pyorc.Writer(f, "struct<n:struct<a:string,b:array<int>>,key:varchar(40),m:map<string,double>,d:decimal(10,2),"
                            "code:char(12),day:date,u:uniontype<int,string>,t:tinyint,last:bigint>",
                         compression=pyorc.CompressionKind.SNAPPY, bloom_filter_columns=[4, 16], row_index_stride=1000)
        rows = {"key": [], "code": [], "t": [], "last": []}
        for i in range(1500):
            key, code, t, last = f"key{i % 40}", f"c{i % 9}", i % 100 - 50, i * i
            from decimal import Decimal
            w.write((("s", [i, i]), key, {"a": 1.5}, Decimal("1.25"), code, datetime(2020, 1, 1).date(), i, t, last))
            for c, v in zip(rows, (key, code, t, last)):
                rows[c].append(v)
        w.close()
    say("neighbours", rows)


def main():
    r = random.Random(4)
    rows = inventory(r, 100)
    table = pa.table(rows, schema=INVENTORY)
    say("inventory", rows, {"last_modified_date"})
    every_way("inventory", table, ("zlib",))
    every_way("inventory", table, ("uncompressed", "snappy", "zstd"), versions=("0.12",))
    arrow("inventory", "zlib-stripes", table, compression="zlib", batch_size=16, stripe_size=1024, row_index_stride=10)
    rows = inventory(r, 30)
    say("strings", rows, {"last_modified_date"})
    every_way("strings", as_text(rows), ("zlib",), versions=("0.12",))
    arrow("nokey", "zlib-012-dict", pa.table({"bucket": ["b", "b"], "key": ["k", None]}), compression="zlib")
    arrow("wrongtypes", "zlib-012-dict", pa.table({"bucket": ["b"], "key": ["k"], "size": [1.5]}), compression="zlib")
    arrow("refused", "lz4", pa.table({"a": [1]}), compression="lz4")

    rows = numbers(r, 1600)
    say("numbers", rows)
    table = pa.table(rows, schema=NUMBERS)
    every_way("numbers", table, ("zlib",), dictionaries=(1,))

    rows, schema, when = nulls(2100)
    say("nulls", rows, when)
    every_way("nulls", pa.table(rows, schema=schema), ("zlib",), dictionaries=(1,))

    rows = texts(r)
    say("texts", rows)
    table = pa.table(rows, schema=pa.schema([("text", pa.string()), ("blob", pa.binary())]))
    every_way("texts", table, ("zlib",))

    values = times()
    say("times", {"at": values, "instant": values}, {"at", "instant"})
    table = pa.table({"at": values, "instant": values},
                     schema=pa.schema([("at", pa.timestamp("ns")), ("instant", pa.timestamp("ns", tz="UTC"))]))
    every_way("times", table, ("zlib",), dictionaries=(1,))

    say("empty", {"bucket": [], "key": []})
    arrow("empty", "zlib", pa.table({"bucket": [], "key": []}, schema=pa.schema([("bucket", pa.string()),
                                                                               ("key", pa.string())])))

    micros = [ns(t) // 1000 for t in ("2014-06-01T00:00:00", "2015-01-01T00:00:00", "2026-07-04T12:30:00",
                                      "2026-11-28T01:00:00", "1980-01-01T00:00:00", "2026-03-08T12:00:00")]
    micros += [ns("1965-05-05T05:05:05") // 1000 + n for n in (0, 500, 250_000, 999_999)]
    say("zones", {"wall": [m * 1000 for m in micros], "instant": [m * 1000 for m in micros]}, {"wall", "instant"})
    for zone in ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland"):
        zoned(zone, micros)
    neighbours(r)


main()
