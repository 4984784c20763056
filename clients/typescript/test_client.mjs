// Tests of the client's runtime. go test ./cmd/grantgraph -run TestClients installs the tarball that a service serves and runs them.
import assert from "node:assert/strict";
import test from "node:test";
import { Client, GrantgraphError } from "grantgraph";

/** A client of a service that answers as a function says, and never waits. */
function stub(answer, options = {}) {
  const calls = [], waits = [];
  const client = new Client("https://grants.example.org", {
    key: "gg_test_key",
    pause: async (seconds) => waits.push(seconds),
    fetch: async (url, init) => {
      calls.push({ url, ...init });
      const said = answer(calls.length, url, init);
      if (said instanceof Error) throw said;
      const { status = 200, body = { code: 200 }, headers = {} } = said;
      return new Response(status === 304 ? null : typeof body === "string" ? body : JSON.stringify(body), { status, headers });
    },
    ...options,
  });
  return { client, calls, waits };
}
const failure = (error) => ({ code: 1, message: "It did not work.", error, hint: "do something", request_id: "r-1" });
const slug = (name) => (e) => e instanceof GrantgraphError && e.slug === name;
const refused = () => Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });

test("retries", async () => {
  let s = stub((n) => (n < 3 ? { status: 429, body: failure("run_busy"), headers: { "Retry-After": String(n * 7) } } : { body: { code: 200, rows: [] } }));
  assert.deepEqual((await s.client.runSQL({ sql: "SELECT 1" })).rows, []);
  assert.deepEqual(s.waits, [7, 14]);
  assert.equal(s.calls[2].body, '{"sql":"SELECT 1"}');
  s = stub(refused);
  await assert.rejects(s.client.getMeta(), slug("unreachable"));
  assert.deepEqual(s.waits, [1, 2, 4]);
  s = stub(() => ({ status: 503, body: failure("server_busy") }));
  await assert.rejects(s.client.mintAgentKey({ purpose: "a", source: "b" }), (e) => e.attempts === 1 && e.slug === "server_busy");
  s = stub(() => ({ status: 429, body: failure("run_busy"), headers: { "Retry-After": "61" } }));
  await assert.rejects(s.client.getMeta(), (e) => e.retryAfter === 61 && s.waits.length === 0);
  s = stub(() => ({ status: 402, body: failure("plan_required") }));
  await assert.rejects(s.client.getMeta(), (e) => e.status === 402 && e.hint === "do something" && e.requestId === "r-1" && e.message.startsWith("402 plan_required: "));
});

test("pages", async () => {
  const s = stub((n, url) => ({ body: { code: 200, hits: 3, results: [{ n }], next_cursor: n < 3 ? "c" + n : null, url } }));
  assert.deepEqual(await s.client.listFunders({ location: ["OH", "IL"], exclude_daf: true, page: 1 }).all(), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  assert.match(s.calls[0].url, /strict=1&location=OH%2CIL&exclude_daf=1&page=1&limit=1000$/);
  assert.match(s.calls[2].url, /cursor=c2$/);
  for (const page of [{ hits: 9, results: [{}], next_cursor: "same" }, { hits: 9, results: [], next_cursor: "c" }, { hits: 1, results: [{}, {}], next_cursor: "c" }, {}]) {
    await assert.rejects(stub(() => ({ body: { code: 200, ...page } })).client.listFunders().all(), slug("unexpected_answer"));
  }
});

test("hostile answers", async () => {
  for (const body of ["", "<html>", "{}", "[]", "null", '{"code": 500}', '{"code": 200']) {
    await assert.rejects(stub(() => ({ body })).client.getMeta(), slug("unexpected_answer"));
  }
  await assert.rejects(stub(() => ({ body: { code: 200, x: "y".repeat(2000) } }), { maxAnswer: 1000 }).client.getMeta(), slug("unexpected_answer"));
  const s = stub(() => ({ status: 302, headers: { Location: "https://other.example.org" } }));
  await assert.rejects(s.client.getMeta(), slug("redirect"));
  assert.equal(s.calls[0].redirect, "manual");
});

test("answers that have not changed", async () => {
  const s = stub((n, url, init) => (init.headers["If-None-Match"] ? { status: 304 } : { body: { code: 200, n }, headers: { ETag: '"1"' } }));
  assert.deepEqual([(await s.client.getMeta()).n, (await s.client.getMeta()).n], [1, 1]);
  const none = stub((n) => ({ body: { code: 200, n }, headers: { ETag: '"1"' } }), { cacheBytes: 0 });
  assert.deepEqual([(await none.client.getMeta()).n, (await none.client.getMeta()).n], [1, 2]);
});

test("addresses and keys", () => {
  for (const bad of ["grants.example.org", "ftp://example.org", "https://user@example.org", "https://example.org?x", ""]) {
    assert.throws(() => new Client(bad), slug("bad_address"));
  }
  for (const far of ["http://grants.example.org", "http://localhost.example.org"]) {
    assert.throws(() => new Client(far, { key: "k" }), slug("plain_http"));
  }
  assert.throws(() => new Client("https://example.org", { key: "a\nb" }), slug("bad_key"));
  assert.equal(new Client("https://example.org/grants/api/v1/", { key: "k" }).address, "https://example.org/grants");
  new Client("http://[::1]:8080", { key: "k" });
  new Client("http://10.0.0.1", { key: "k", plainHttp: true });
});
