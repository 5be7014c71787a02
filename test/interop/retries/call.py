"""Calls a URL with urllib3 and its retries: call.py METHOD URL TIMES [BODY]. Prints what the caller sees of the last
call: the status, or `error`."""

import sys

import urllib3

method, url, times, *body = sys.argv[1:]
http = urllib3.PoolManager(retries=urllib3.Retry(3))
headers = {"X-Client": "urllib3", **({"Content-Type": "application/json"} if body else {})}
seen: object = None
for _ in range(int(times)):
    try:
        seen = http.request(method, url, headers=headers, body=body[0] if body else None).status
    except urllib3.exceptions.HTTPError:
        seen = "error"
print(seen, end="")
