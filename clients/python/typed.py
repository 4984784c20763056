"""A program whose types a test checks strictly: what comes back is known to the checker."""

import grantgraph

service = grantgraph.Client("http://127.0.0.1:8080")
total = 0
for grant in service.list_transactions(location=["OH", "IL"], year=range(2020, 2023), exclude_daf=True):
    name: str = grant["recip_name"]
    ein: "str | None" = grant["recip_ein"]
    total += grant["amount"]
    print(name, ein, grant["x_service"]["match_prob"])
for page in service.list_funders(subject="P20").pages():
    hits: int = page["hits"]
    for funder in page["results"]:
        print(hits, funder["funder_name"].title(), funder["total_amount"] // 1000)
found = service.identify("Example Community Foundation", "IL")
if found["verdict"] == "certain":
    print(found["candidates"][0]["probability"] + 1)
rows = service.run_sql({"sql": "SELECT 1", "params": [2022]})["rows"]
record = service.screen_organization("00-0000001")
revoked: "bool | None" = record["compliance"]["revoked"]
for candidates in service.reconcile(["Example", {"name": "Other", "state": "OH"}]):
    print([c["id"] for c in candidates if c["match"]])
try:
    service.get_premier("00-0000001")
except grantgraph.PlanRequired as e:
    print(e.hint, e.problems[:1])
