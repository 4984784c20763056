"""Tests of the Python client. go test ./cmd/grantgraph -run TestClients installs the wheel
that the service at GRANTGRAPH_URL serves and runs them. A server in this file gives the
answers that no service of ours gives."""

import ast
import gzip
import http.server
import json
import os
import threading
import unittest
import unittest.mock

import grantgraph

KEY = "gg_test_key"


class Stub:
    """A server that answers as a function says, and a client of it that never waits."""

    def __init__(self, case, answer, **options):
        self.calls, self.headers, self.waits = 0, [], []
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                stub.calls += 1
                stub.headers.append(dict(self.headers))
                length = int(self.headers.get("Content-Length") or 0)
                answer(self, stub.calls, self.rfile.read(length))

            do_POST = do_GET

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.url = "http://127.0.0.1:%d" % server.server_port
        case.addCleanup(thread.join)
        case.addCleanup(server.server_close)
        case.addCleanup(server.shutdown)
        self.client = grantgraph.Client(self.url, KEY, pause=self.waits.append, **options)


def send(handler, status, body, **headers):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if "Content_Length" not in headers:
        handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


def failure(slug):
    return {"code": 1, "message": "It did not work.", "error": slug, "hint": "do something",
            "request_id": "r-1"}


class Hostile(unittest.TestCase):
    def test_retries(self):
        def busy(handler, call, body):
            self.assertEqual(body, b'{"sql": "SELECT 1"}')
            if call < 3:
                send(handler, 429, failure("rate_limited"), Retry_After=str(call * 7))
            else:
                send(handler, 200, {"code": 200, "rows": []})

        stub = Stub(self, busy)
        self.assertEqual(stub.client.run_sql({"sql": "SELECT 1"})["rows"], [])
        self.assertEqual(stub.waits, [7, 14])

    def test_gives_up(self):
        for status, slug, header, waits, calls, once in (
                (503, "server_busy", None, [1, 2, 4], 4, False),
                (503, "server_busy", "0", [0, 0, 0], 4, False),
                (429, "rate_limited", "61", [], 1, False),
                (429, "rate_limited", "nonsense", [1, 2, 4], 4, False),
                (402, "quota_exhausted", "5", [], 1, False),
                (503, "server_busy", None, [], 1, True)):
            with self.subTest(slug=slug, header=header, once=once):
                headers = {"Retry_After": header} if header else {}
                stub = Stub(self, lambda h, call, body: send(h, status, failure(slug), **headers))
                with self.assertRaises(grantgraph.Error) as caught:
                    stub.client.call("POST", "/agent-key/answer", body={"answers": []}, once=once)
                self.assertEqual((caught.exception.slug, caught.exception.attempts), (slug, calls))
                self.assertEqual((stub.waits, stub.calls), (waits, calls))

    def test_date(self):
        class Header(dict):
            pass

        date = "Mon, 05 Oct 2026 01:02:%02d GMT"
        header = Header({"Retry-After": date % 8, "Date": date % 3})
        self.assertEqual(grantgraph._retry_after(header), 5)
        self.assertEqual(grantgraph._retry_after(Header({"Retry-After": date % 1, "Date": date % 3})), 0)
        self.assertIsNone(grantgraph._retry_after(Header({"Retry-After": date % 1})))

    def test_broken(self):
        def breaks(handler, call, body):
            if call == 1:
                handler.close_connection = True  # without a word
            elif call == 2:
                send(handler, 200, b'{"code": 200', Content_Length="1000")
                handler.close_connection = True
            else:
                send(handler, 200, {"code": 200})

        stub = Stub(self, breaks)
        self.assertEqual(stub.client.get_meta(), {"code": 200})
        self.assertEqual(stub.waits, [1, 2])

    def test_nothing_there(self):
        stub = Stub(self, None)
        gone = grantgraph.Client("http://127.0.0.1:1", KEY, pause=stub.waits.append)
        with self.assertRaises(grantgraph.Unreachable):
            gone.get_meta()
        self.assertEqual(stub.waits, [1, 2, 4])  # it may be starting

    def test_error(self):
        stub = Stub(self, lambda h, call, body: send(h, 402, failure("plan_required")))
        with self.assertRaises(grantgraph.PlanRequired) as caught:
            stub.client.summarize_grants()
        e = caught.exception
        self.assertEqual((e.status, e.hint, e.request_id, e.retry_after), (402, "do something", "r-1", None))
        self.assertEqual(str(e), "402 plan_required: It did not work.")

    def test_slug_of_tomorrow(self):
        stub = Stub(self, lambda h, call, body: send(h, 400, failure("not_known_yet")))
        with self.assertRaises(grantgraph.Error) as caught:
            stub.client.get_meta()
        self.assertEqual(caught.exception.slug, "not_known_yet")

    def test_nonsense(self):
        for body in (b"", b"<html>", b"{}", b"[]", b"null", b'{"code": 500}', b'{"code": 200', b"\xff",
                     b"[" * 100000, b'{"code": 200, "x": "' + b"y" * 200000 + b'"}'):
            with self.subTest(body=body[:20]):
                stub = Stub(self, lambda h, call, _: send(h, 200, body), max_answer=150000)
                with self.assertRaises(grantgraph.UnexpectedAnswer):
                    stub.client.get_meta()
                with self.assertRaises(grantgraph.UnexpectedAnswer):
                    list(stub.client.list_transactions())

    def test_compressed(self):
        def packed(handler, call, body):
            size = 10 if call == 1 else 10_000_000
            raw = gzip.compress(json.dumps({"code": 200, "x": "y" * size}).encode())
            send(handler, 200, raw, Content_Encoding="gzip")

        stub = Stub(self, packed, max_answer=1 << 20)
        self.assertEqual(stub.client.get_meta()["x"], "y" * 10)
        with self.assertRaises(grantgraph.UnexpectedAnswer):
            stub.client.get_meta()

    def test_compressed_and_cut(self):
        raw = gzip.compress(json.dumps({"code": 200, "x": "y" * 10}).encode())

        def cut(handler, call, body):
            send(handler, 200, raw[:-9] if call == 1 else raw, Content_Encoding="gzip")

        stub = Stub(self, cut)
        self.assertEqual(stub.client.get_meta()["x"], "y" * 10)
        self.assertEqual(stub.waits, [1])

    def test_no_proxy_for_this_machine(self):
        proxy = Stub(self, lambda h, call, body: send(h, 200, {"code": 200}))
        with unittest.mock.patch.dict(os.environ, {"http_proxy": proxy.url, "no_proxy": ""}):
            stub = Stub(self, lambda h, call, body: send(h, 200, {"code": 200}))
            stub.client.get_meta()
        self.assertEqual((stub.calls, proxy.calls), (1, 0))

    def test_path_is_quoted(self):
        paths = []

        def told(handler, call, body):
            paths.append(handler.path)
            send(handler, 200, {"code": 200})

        Stub(self, told).client.call("GET", "/\u00e4 b/%41")
        self.assertEqual(paths, ["/api/v1/%C3%A4%20b/%41"])

    def test_empty_body_is_not_changed(self):
        stub = Stub(self, lambda h, call, body: send(
            h, 200, {"code": 200, "hits": 0, "results": [], "next_cursor": None}))
        body = {}
        self.assertEqual(list(stub.client.list_organizations(body)), [])
        self.assertEqual(body, {})

    def test_redirect(self):
        other = Stub(self, lambda h, call, body: send(h, 200, {"code": 200}))
        for status in (301, 302, 303, 307, 308):
            stub = Stub(self, lambda h, call, body: send(h, status, b"", Location=other.url))
            with self.assertRaises(grantgraph.Redirect):
                stub.client.get_meta()
            with self.assertRaises(grantgraph.Redirect):
                stub.client.run_sql({"sql": "SELECT 1"})
        self.assertEqual(other.calls, 0)

    def test_kept(self):
        def tagged(handler, call, body):
            if handler.headers.get("If-None-Match") == 'W/"1"':
                send(handler, 304, b"", ETag='W/"1"')
            else:
                send(handler, 200, {"code": 200, "call": call}, ETag='W/"1"')

        stub = Stub(self, tagged)
        self.assertEqual([stub.client.get_meta()["call"] for _ in range(3)], [1, 1, 1])
        self.assertEqual(stub.calls, 3)
        self.assertEqual(stub.client.search_organizations(q="another")["call"], 4)
        stub = Stub(self, tagged, cache_bytes=0)
        self.assertEqual([stub.client.get_meta()["call"] for _ in range(2)], [1, 2])

    def test_cache_is_bounded(self):
        cache = grantgraph._Cache(1000)
        for i in range(100):
            cache.keep("u%d" % i, "t", b"x" * 100)
        cache.keep("large", "t", b"x" * 300)
        cache.keep("untagged", None, b"x")
        self.assertLessEqual(cache._used, 1000)
        self.assertIsNotNone(cache.find("u99"))
        for url in ("u0", "large", "untagged"):
            self.assertIsNone(cache.find(url))

    def test_endless(self):
        for page in ({"hits": 9, "results": [{}], "next_cursor": "same"},
                     {"hits": 9, "results": [], "next_cursor": "c"},
                     {"hits": 1, "results": [{}, {}], "next_cursor": "c"}):
            stub = Stub(self, lambda h, call, body: send(h, 200, dict(page, code=200)))
            with self.assertRaises(grantgraph.UnexpectedAnswer):
                list(stub.client.list_funders())

    def test_addresses(self):
        for address, raises in (
                ("https://grants.example.org", None), ("https://example.org/grants/api/v1/", None),
                ("http://localhost:8080", None), ("http://[::1]:8080", None),
                ("http://grants.example.org", grantgraph.PlainHttp),
                ("http://localhost.example.org", grantgraph.PlainHttp),
                ("http://grants.localhost", grantgraph.PlainHttp),
                ("https://ex\u00e4mple.org", grantgraph.BadAddress),
                ("grants.example.org", grantgraph.BadAddress), ("ftp://example.org", grantgraph.BadAddress),
                ("https://user@example.org", grantgraph.BadAddress), ("https://example.org?x", grantgraph.BadAddress),
                ("https://example.org:port", grantgraph.BadAddress), ("", grantgraph.BadAddress)):
            with self.subTest(address=address):
                if raises:
                    with self.assertRaises(raises):
                        grantgraph.Client(address, KEY)
                else:
                    self.assertNotIn(KEY, repr(grantgraph.Client(address, KEY)))
        with self.assertRaises(grantgraph.BadAddress) as caught:
            grantgraph.Client("https://user:secret@example.org", KEY)
        self.assertNotIn("secret", str(caught.exception))
        grantgraph.Client("http://grants.example.org", "")
        grantgraph.Client("http://10.0.0.1", KEY, plain_http=True)
        with self.assertRaises(grantgraph.BadKey):
            grantgraph.Client("https://grants.example.org", "one\ntwo")

    def test_parameters(self):
        self.assertEqual(
            grantgraph._encoded({"a": [1, "x y"], "b": True, "c": None, "d": range(2020, 2022), "e": 0.5}),
            "a=1%2Cx+y&b=1&d=2020%2C2021&e=0.5")


class Old(unittest.TestCase):
    """The module is for Python 3.9 and later, and the Python of the tests is newer."""

    # What the module takes from the standard library. All of it is in Python 3.9; of a
    # name that is new here, look up since when it is there.
    names = """
        collections.OrderedDict datetime.timedelta email.message.Message
        email.utils.parsedate_to_datetime http.client.HTTPException
        http.client.IncompleteRead ipaddress.ip_address json.dumps json.loads
        os.environ.get re.fullmatch re.search socket.timeout threading.Lock time.sleep
        typing.Any typing.Callable typing.Generic typing.Iterable typing.Iterator
        typing.Literal typing.Mapping typing.Sequence typing.TYPE_CHECKING
        typing.TypeVar typing.TypedDict typing.cast urllib.error.HTTPError urllib.error.URLError
        urllib.parse.quote urllib.parse.urlencode urllib.parse.urlsplit
        urllib.request.HTTPRedirectHandler urllib.request.ProxyHandler
        urllib.request.Request urllib.request.build_opener zlib.decompressobj zlib.error
    """

    def test_syntax_and_names(self):
        with open(grantgraph.__file__, encoding="utf-8") as file:
            tree = ast.parse(file.read(), feature_version=(3, 9))
        nodes = list(ast.walk(tree))
        self.assertEqual([n.module for n in nodes if isinstance(n, ast.ImportFrom)], ["__future__"],
                         "import modules whole, so that names are seen here")
        modules = {a.name.partition(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
        modules -= {"pandas", "typing_extensions"}  # for checkers, and for frames

        def dotted(node):
            if isinstance(node, ast.Name) and node.id in modules:
                return node.id
            if isinstance(node, ast.Attribute) and dotted(node.value):
                return dotted(node.value) + "." + node.attr
            return ""

        used = {dotted(n) for n in nodes} - {""}
        longest = {name for name in used if not any(other.startswith(name + ".") for other in used)}
        self.assertEqual(longest, set(self.names.split()))


class Service(unittest.TestCase):
    def setUp(self):
        self.service = grantgraph.Client(os.environ["GRANTGRAPH_URL"])
        self.of_account = grantgraph.Client(os.environ["GRANTGRAPH_URL"], os.environ["GRANTGRAPH_ACCOUNT_KEY"])

    def test_all_grants_of_a_funder(self):
        funder = next(self.service.list_funders(limit=1))
        rows = list(self.service.list_transactions(funder_id=funder["funder_ein"], limit=7))
        self.assertGreater(len(rows), 7)
        self.assertEqual(len(rows), funder["grant_count"])
        self.assertEqual(sum(row["amount"] for row in rows), funder["total_amount"])
        counted = self.service.run_sql({"sql": "SELECT count(*) AS n FROM grants WHERE funder_ein = ?",
                                        "params": [funder["funder_ein"]]})
        self.assertEqual(counted["rows"], [{"n": len(rows)}])

    def test_long(self):
        organizations = list(self.service.list_organizations({"size": 300}))
        self.assertEqual(len({row["ein"] for row in organizations}), len(organizations))
        funder = next(self.service.list_funders())["funder_ein"]
        found = self.service.call("GET", "/prospects/" + funder)["hits"]
        self.assertEqual(len(list(self.service.find_prospects(funder, limit=10))), found)

    def test_pages(self):
        pages = list(self.service.list_funders(limit=2, page=1).pages())
        self.assertGreater(len(pages), 1)
        self.assertEqual(sum(len(page["results"]) for page in pages), pages[0]["hits"])
        rows = self.service.list_funders(limit=2)
        first = next(rows)
        self.assertEqual([first] + list(rows), [row for page in pages for row in page["results"]])

    def test_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        funder = next(self.service.list_funders())
        grants = self.service.list_transactions(funder_id=funder["funder_ein"]).frame()
        self.assertEqual(grants["amount"].sum(), funder["total_amount"])
        self.assertEqual((str(grants["amount"].dtype), str(grants["funder_ein"].dtype)), ("Int64", "string"))
        self.assertIn("x_service.match_prob", grants.columns)
        table = self.service.call("GET", "/grants/transactions", {"limit": 1})["results"][0]
        self.assertEqual(set(grants.columns) - set(grantgraph.flat(table)), set())
        self.assertIsInstance(grantgraph.frame([]), pandas.DataFrame)

    def test_flat(self):
        self.assertEqual(grantgraph.flat({"a": {"b": {"c": 1}}, "d": ["x", "y"], "e": [{"f": 1}], "g": None, "h": []}),
                         {"a.b.c": 1, "d": "x;y", "e": [{"f": 1}], "g": None, "h": ""})

    def test_identify(self):
        known = [o for o in self.service.search_organizations(q="foundation")["results"]][0]
        found = self.service.identify(known["name"], known["state"])
        self.assertIn(known["ein"], [o["ein"] for o in found["candidates"]])
        self.assertEqual(self.service.identify("qqzzxx vvkkjj wwffpp"), {"verdict": "nobody", "candidates": []})

    def test_reconcile(self):
        known = self.service.search_organizations(q="foundation", limit=12)["results"]
        for service in self.service, grantgraph.Client(self.service.address, ""):
            found = service.reconcile([{"name": o["name"], "state": o["state"]} for o in known] + ["qqzzxx vvkkjj wwffpp"])
            self.assertEqual(len(found), len(known) + 1)
            for o, candidates in zip(known, found):
                self.assertIn(o["ein"], [c["id"] for c in candidates])
            self.assertFalse([c for c in found[-1] if c["match"]])
        self.assertEqual(self.service.reconcile([]), [])

    def test_lists(self):
        kept = self.of_account.create_list({"name": "Grantees"})["list"]["id"]
        eins = [o["ein"] for o in self.service.search_organizations(q="foundation", limit=7)["results"]]
        self.of_account.add_to_list(kept, {"members": [{"ein": ein} for ein in eins]})
        self.assertIn(kept, [l["id"] for l in self.of_account.lists()])
        self.assertEqual([row["ein"] for row in self.of_account.screen_whole_list(kept)], eins)

    def test_screening(self):
        ein = next(self.service.list_funders())["funder_ein"]
        record = self.service.screen_organization(ein)
        self.assertEqual(self.service.verify_report(record["report"])["status"], "valid")
        many = self.service.screen_organizations({"eins": [ein, "12-34"]})
        self.assertEqual([r["found"] for r in many["results"]], [True, False])

    def test_refusals(self):
        with self.assertRaises(grantgraph.UnsupportedParameter):
            next(self.service.list_transactions(locaton="OH"))
        with self.assertRaises(grantgraph.UnknownEIN):
            self.service.get_premier("00-9999999")
        with self.assertRaises(grantgraph.InvalidRequest) as caught:
            self.service.search_organizations(q="x", limit=0)
        self.assertEqual(caught.exception.problems[0]["loc"], ["query", "limit"])
        free = grantgraph.Client(self.service.address, os.environ["GRANTGRAPH_FREE_KEY"])
        with self.assertRaises(grantgraph.PlanRequired):
            free.run_sql({"sql": "SELECT 1"})

    def test_what_is_kept_costs_nothing(self):
        first = self.service.summarize_grants(year=2022)
        with unittest.mock.patch.object(grantgraph, "_parsed", side_effect=AssertionError("it was sent again")):
            self.assertEqual(self.service.summarize_grants(year=2022), first)


if __name__ == "__main__":
    unittest.main()
