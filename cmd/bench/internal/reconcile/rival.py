"""What a user would run instead: DuckDB over the same files.

usage: rival.py DIR THREADS MEMORY join|hash     (MEMORY: 1GB, or none)

join is one full outer join on the text of (bucket, key, version). hash is an
expert's plan: a join on 64-bit hashes first, then the text of the differing rows
only; hash collisions are not resolved. Findings go to a file; their counts are
printed as JSON.
"""

import glob
import json
import shutil
import sys
import tempfile

import duckdb

CREATED = "timestamp '2026-11-30 00:00:00'"
OLD, SETTLED = f"{CREATED} - interval 168 hour", f"{CREATED} - interval 48 hour"
KIND = "case when m.h is null then 'orphan' when i.h is null then 'missing' else 'corrupt' end"
DIFFERS = "(m.h is null and i.old) or (i.h is null and m.old) or i.size <> m.size"


def sides(dir):
    if glob.glob(f"{dir}/owned-*.parquet"):
        return (
            f"select bucket, key, version_id, size, last_modified_date::timestamp t from '{dir}/inv/*/*/data/*.parquet'",
            f"select bucket, key, version_id, size, recorded_at::timestamp t from '{dir}/owned-*.parquet'",
        )
    text = "auto_detect=false, delim=',', quote='\"', escape='\"'"
    inventory = columns("bucket", "k", "version_id", "latest", "marker", "size", "t", "etag", "class")
    owned = columns("bucket", "key", "version_id", "size", "recorded_at")
    return (
        "select bucket, url_decode(replace(k, '+', ' ')) as key, version_id, size, t "
        f"from read_csv('{dir}/inv/*/*/data/*.csv.gz', header=false, {text}, columns={inventory})",
        "select bucket, key, version_id, size, recorded_at t "
        f"from read_csv('{dir}/owned-*.csv.gz', header=true, {text}, columns={owned})",
    )


def columns(*names):
    types = {"size": "BIGINT", "t": "TIMESTAMP", "recorded_at": "TIMESTAMP"}
    return "{" + ", ".join(f"'{n}': '{types.get(n, 'VARCHAR')}'" for n in names) + "}"


def join(c, inv, own, out):
    def side(query, limit):
        return f"(select bucket, key, version_id, key h, size, t < {limit} old from ({query}))"

    c.execute(
        f"""copy (select {KIND} kind, coalesce(i.bucket, m.bucket) bucket, coalesce(i.key, m.key) k,
        coalesce(i.version_id, m.version_id) v, i.size, m.size from {side(inv, OLD)} i
        full outer join {side(own, SETTLED)} m
        on i.bucket = m.bucket and i.key = m.key and i.version_id = m.version_id where {DIFFERS}) to '{out}'"""
    )


def hash_first(c, inv, own, out):
    def side(query, limit):
        return f"(select hash(bucket, key, version_id) h, size, t < {limit} old from ({query}))"

    def named(query, which):
        return f"""select kind, bucket, key, version_id, size from ({query}) x
        join (select * from d where kind {which} 'missing') d on hash(x.bucket, x.key, x.version_id) = d.h"""

    c.execute(
        f"""create temp table d as select coalesce(i.h, m.h) h, {KIND} kind
        from {side(inv, OLD)} i full outer join {side(own, SETTLED)} m on i.h = m.h where {DIFFERS}"""
    )
    c.execute(f"copy ({named(inv, '<>')} union all {named(own, '=')}) to '{out}'")


def main(dir, threads, memory, plan):
    tmp = tempfile.mkdtemp()
    try:
        c = duckdb.connect()
        c.execute(f"set threads={threads}; set temp_directory='{tmp}'; set enable_progress_bar=false")
        c.execute("set preserve_insertion_order=false; set TimeZone='UTC'")
        if memory != "none":
            c.execute(f"set memory_limit='{memory}'")
        inv, own = sides(dir)
        {"join": join, "hash": hash_first}[plan](c, inv, own, f"{tmp}/findings.csv")
        found = c.execute(f"select kind, count(*) from read_csv('{tmp}/findings.csv', header=true) group by 1").fetchall()
        print(json.dumps({"counts": dict(found)}))
    finally:
        shutil.rmtree(tmp)


main(*sys.argv[1:])
