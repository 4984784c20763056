"""Calls a Grantgraph service: who funded whom, from public tax filings.

One file that needs the standard library alone, for Python 3.9 and later. Copy it
next to your program. All grants of a funder as a data frame:

    import grantgraph, pandas

    service = grantgraph.Client("https://grants.example.org")
    grants = pandas.DataFrame(service.list_transactions(funder_id="00-0000001"))
    print(len(grants), grants["amount"].sum())

The key is taken from the environment variable GRANTGRAPH_KEY unless one is given.
Methods have the names of the operations of the service and take their parameters
by name; lists are iterators over all rows, page by page. A busy service is asked
again when it says so, an answer that has not changed is not sent nor counted
again, and a failure is an Error whose class names its cause:

    try:
        service.run_sql({"sql": "SELECT count(*) FROM grants"})
    except grantgraph.PlanRequired as e:
        print(e.hint)
"""

import collections
import datetime
import email.utils
import http.client
import ipaddress
import json
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

__all__ = ["Client", "Error"]


class Error(Exception):
    """Why there is no answer.

    slug         stable identifier of the cause; each has a class in this module
    message      what went wrong
    hint         what to do about it; may be empty
    docs         where the cause is described; may be empty
    status       of HTTP; 0 without an answer
    request_id   to quote when asking for help; may be empty
    retry_after  seconds that the service asks to wait; None when it does not say
    problems     what could not be read of the request, on a 422
    attempts     how often it was tried
    body         the answer as it came, a dict; None where it is none of the service
    """

    def __init__(self, slug, message, hint="", docs="", status=0, request_id="",
                 retry_after=None, problems=(), body=None):
        super().__init__(message)
        self.slug, self.message, self.hint, self.docs = slug, message, hint, docs
        self.status, self.request_id, self.retry_after = status, request_id, retry_after
        self.problems, self.body, self.attempts = list(problems), body, 1
        self._again = False  # another attempt may be answered otherwise

    def __str__(self):
        told = "%s: %s" % (self.slug, self.message)
        return "%d %s" % (self.status, told) if self.status else told


class BadAddress(Error):
    """The address is not that of a service."""


class BadKey(Error):
    """The key cannot be sent."""


class PlainHttp(Error):
    """The key would travel unencrypted."""


class Redirect(Error):
    """The service is somewhere else, and the key is not sent there."""


class Unreachable(Error):
    """Nothing answered, or the connection broke."""


class UnexpectedAnswer(Error):
    """The answer is none of such a service."""


# errors: generated from the operation table



class UnsupportedParameter(Error):
    """400: Strict=1 was given and a parameter is unsupported or unrecognized."""


class MalformedQuery(Error):
    """400: The query string cannot be decoded."""


class TooManyParameters(Error):
    """400: The query string has too many parameters."""


class ProprietarySubject(Error):
    """400: Subject has the shape of a code from a proprietary taxonomy."""


class CursorStale(Error):
    """400: The cursor belongs to an earlier build of the dataset."""


class CursorMismatch(Error):
    """400: The cursor belongs to another request."""


class UnsupportedIDType(Error):
    """400: Id_type is not ein."""


class WrongAnswer(Error):
    """400: An answer to the challenge is wrong."""


class SQLRejected(Error):
    """400: The SQL is not a single read-only query; it was free if refused before it ran."""


class SQLTooComplex(Error):
    """400: The SQL takes more than about a second to parse; it cost a call."""


class SQLTimeout(Error):
    """400: The query was stopped after 30 seconds; narrow it with a tax_year or funder_ein filter."""


class SQLFailed(Error):
    """400: The query failed while it ran."""


class SQLMemory(Error):
    """400: The query needs more memory than a query may use."""


class SQLTooLarge(Error):
    """400: The answer is too large."""


class NoKey(Error):
    """401: No key was sent."""


class UnknownKey(Error):
    """401: The key is unknown."""


class KeyExpired(Error):
    """401: The agent's key has expired."""


class BadSignature(Error):
    """401: The signature of the request is invalid."""


class BadAdminToken(Error):
    """401: The admin token is missing or wrong."""


class AccountInactive(Error):
    """402: The account is inactive."""


class QuotaExhausted(Error):
    """402: The key has reached its daily or monthly limit; Retry-After has the seconds until it resets, and is absent if it never does."""


class KeyLocked(Error):
    """402: The agent's key is locked, and this call is not part of its challenge."""


class PlanRequired(Error):
    """402: The endpoint needs a higher plan."""


class TrialScreeningUsed(Error):
    """402: The one free screening was used; this request was free."""


class AccountNeeded(Error):
    """403: The key belongs to no account, which the operation needs."""


class ProTable(Error):
    """403: The SQL names a table of the Pro plan; there is no partial answer."""


class NotPublic(Error):
    """403: The endpoint serves only pages of the site."""


class NotFound(Error):
    """404: There is no such endpoint."""


class UnknownVersion(Error):
    """404: The build or edition to compare with is unknown, or no longer kept."""


class UnknownList(Error):
    """404: The account has no such list."""


class UnknownRun(Error):
    """404: The list has no such screening, or it has expired."""


class UnknownEIN(Error):
    """404: We know no organization with this EIN; the request was free."""


class NoSuchKey(Error):
    """404: There is no such key."""


class NoSuchAccount(Error):
    """404: There is no such account."""


class NoSuchDataset(Error):
    """404: The data directory has no such build."""


class MethodNotAllowed(Error):
    """405: The endpoint does not support this method; see the Allow header."""


class RequestTimeout(Error):
    """408: The request body did not arrive in time."""


class TooManyLists(Error):
    """409: The account has as many lists as it may."""


class TooManyMembers(Error):
    """409: The list would have more than 5,000 organizations; nothing was added."""


class EmptyList(Error):
    """409: The list has no organizations to screen."""


class TooManyRuns(Error):
    """409: The list has as many screenings as it may."""


class RunAdvanced(Error):
    """409: The turn of this request to screen the part has passed to another."""


class NoWebhook(Error):
    """409: The list has no webhook."""


class ChallengeNotDue(Error):
    """409: No challenge is due: calls remain, or the tier has none."""


class ChallengeReplaced(Error):
    """409: The dataset changed, or the attempts were used up; the response has a new challenge, and the request was free."""


class NotAnAgentKey(Error):
    """409: The key is not an agent's key."""


class BadPlan(Error):
    """409: An agent's key has a tier and cannot have a plan."""


class AccountExists(Error):
    """409: The person has an account already."""


class NoMail(Error):
    """409: The service has no mail server."""


class TooManyKeys(Error):
    """409: The account has as many keys as it may."""


class UnusableDataset(Error):
    """409: The build is damaged, or another version of the program made it."""


class FollowsStore(Error):
    """409: The server follows a store, where datasets are published."""


class BodyTooLarge(Error):
    """413: The request body is too large."""


class URITooLong(Error):
    """414: The address is too long."""


class InvalidRequest(Error):
    """422: A value cannot be read; detail says which."""


class BadListName(Error):
    """422: The list needs a name."""


class BadListText(Error):
    """422: A text of a list is too long or cannot be shown."""


class BadMember(Error):
    """422: An organization needs an EIN or a name."""


class BadWebhook(Error):
    """422: The address cannot be a webhook."""


class WebhookFailed(Error):
    """424: The webhook did not take the test."""


class RunBusy(Error):
    """429: Another request is screening the next part of the list; this request was free; see Retry-After."""


class TooManyAttempts(Error):
    """429: Too many requests of one kind, such as signed requests or tests of webhooks; see Retry-After."""


class TooManyMints(Error):
    """429: Too many keys were minted from the address; see Retry-After."""


class AnswerTooSoon(Error):
    """429: The answer was sent too soon and is not counted; see Retry-After."""


class SQLConcurrent(Error):
    """429: The account already runs as many queries as it may; see Retry-After."""


class HeadersTooLarge(Error):
    """431: The request headers are too large."""


class InternalError(Error):
    """500: Something broke on our side; quote the request_id."""


class NotSent(Error):
    """502: The mail server did not take the invitation."""


class NoDataset(Error):
    """503: No dataset is being served yet."""


class DatasetDamaged(Error):
    """503: A file that the answer needs is damaged and unavailable until the next build."""


class TimedOut(Error):
    """503: The request took too long and was stopped."""


class ServerBusy(Error):
    """503: Large requests are using all available memory; this request was free; see Retry-After."""


class StoreUnavailable(Error):
    """503: Keys cannot be checked at the moment; see Retry-After."""


class NoChallenge(Error):
    """503: The dataset is too small for a challenge."""


class SQLBusy(Error):
    """503: Too many queries are waiting; see Retry-After."""


class SQLUnavailable(Error):
    """503: The dataset has no SQL tables, or no query can run at the moment."""


_ERRORS = {
    "unsupported_parameter": UnsupportedParameter,
    "malformed_query": MalformedQuery,
    "too_many_parameters": TooManyParameters,
    "proprietary_subject": ProprietarySubject,
    "cursor_stale": CursorStale,
    "cursor_mismatch": CursorMismatch,
    "unsupported_id_type": UnsupportedIDType,
    "wrong_answer": WrongAnswer,
    "sql_rejected": SQLRejected,
    "sql_too_complex": SQLTooComplex,
    "sql_timeout": SQLTimeout,
    "sql_failed": SQLFailed,
    "sql_memory": SQLMemory,
    "sql_too_large": SQLTooLarge,
    "no_key": NoKey,
    "unknown_key": UnknownKey,
    "key_expired": KeyExpired,
    "bad_signature": BadSignature,
    "bad_admin_token": BadAdminToken,
    "account_inactive": AccountInactive,
    "quota_exhausted": QuotaExhausted,
    "key_locked": KeyLocked,
    "plan_required": PlanRequired,
    "trial_screening_used": TrialScreeningUsed,
    "account_needed": AccountNeeded,
    "pro_table": ProTable,
    "not_public": NotPublic,
    "not_found": NotFound,
    "unknown_version": UnknownVersion,
    "unknown_list": UnknownList,
    "unknown_run": UnknownRun,
    "unknown_ein": UnknownEIN,
    "no_such_key": NoSuchKey,
    "no_such_account": NoSuchAccount,
    "no_such_dataset": NoSuchDataset,
    "method_not_allowed": MethodNotAllowed,
    "request_timeout": RequestTimeout,
    "too_many_lists": TooManyLists,
    "too_many_members": TooManyMembers,
    "empty_list": EmptyList,
    "too_many_runs": TooManyRuns,
    "run_advanced": RunAdvanced,
    "no_webhook": NoWebhook,
    "challenge_not_due": ChallengeNotDue,
    "challenge_replaced": ChallengeReplaced,
    "not_an_agent_key": NotAnAgentKey,
    "bad_plan": BadPlan,
    "account_exists": AccountExists,
    "no_mail": NoMail,
    "too_many_keys": TooManyKeys,
    "unusable_dataset": UnusableDataset,
    "follows_store": FollowsStore,
    "body_too_large": BodyTooLarge,
    "uri_too_long": URITooLong,
    "invalid_request": InvalidRequest,
    "bad_list_name": BadListName,
    "bad_list_text": BadListText,
    "bad_member": BadMember,
    "bad_webhook": BadWebhook,
    "webhook_failed": WebhookFailed,
    "run_busy": RunBusy,
    "too_many_attempts": TooManyAttempts,
    "too_many_mints": TooManyMints,
    "answer_too_soon": AnswerTooSoon,
    "sql_concurrent": SQLConcurrent,
    "headers_too_large": HeadersTooLarge,
    "internal_error": InternalError,
    "not_sent": NotSent,
    "no_dataset": NoDataset,
    "dataset_damaged": DatasetDamaged,
    "timed_out": TimedOut,
    "server_busy": ServerBusy,
    "store_unavailable": StoreUnavailable,
    "no_challenge": NoChallenge,
    "sql_busy": SQLBusy,
    "sql_unavailable": SQLUnavailable,
}


# errors: end
class Client:
    """Calls one service. Several threads may use it at a time.

    address       of the service, with or without the path of its API
    key           API key; without it the one in GRANTGRAPH_KEY, if there is any
    plain_http    lets the key travel unencrypted to another host
    timeout       seconds that one attempt may take to connect and between two reads
    attempts      in all, where the service is busy or the connection breaks
    longest_wait  seconds between two; a service that asks for more is an error
    max_answer    bytes of an answer
    cache_bytes   of answers kept to be asked for again by their ETag; 0 for none
    pause         waits so many seconds
    """

    def __init__(self, address, key=None, *, plain_http=False, timeout=60, attempts=4,
                 longest_wait=60, max_answer=64 << 20, cache_bytes=16 << 20,
                 pause=time.sleep):
        if key is None:
            key = os.environ.get("GRANTGRAPH_KEY", "")
        base = address.rstrip("/")
        if base.endswith(_VERSIONED):
            base = base[:-len(_VERSIONED)]
        try:
            parts = urllib.parse.urlsplit(base)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host = None
        if (not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment
                or "@" in parts.netloc or re.search(r"[^!-~]", base)):
            # What stands before an @ may be a password, and messages end up in logs.
            told = "an address with a user name or a password" if "@" in address else repr(address)
            raise BadAddress("bad_address", "%s is not the address of a service" % told,
                             "give one such as https://grants.example.org")
        if not re.fullmatch(r"[!-~]*", key):
            raise BadKey("bad_key", "the key has characters that no key has",
                         "check that it was read whole, with nothing around it")
        if key and parts.scheme == "http" and not _loopback(host) and not plain_http:
            raise PlainHttp("plain_http", "a key is not sent to %s, because the connection "
                            "is not encrypted" % base,
                            "use an address that begins with https, or plain_http=True "
                            "where you trust the network")
        self.address = base
        self._key, self._timeout, self._attempts = key, timeout, attempts
        self._longest_wait, self._max_answer, self._pause = longest_wait, max_answer, pause
        self._cache = _Cache(cache_bytes)
        # A proxy is another machine, and what goes to this one may not be encrypted.
        direct = [urllib.request.ProxyHandler({})] if _loopback(host) else []
        self._opener = urllib.request.build_opener(_NoRedirect, *direct)

    def __repr__(self):
        return "grantgraph.Client(%r)" % self.address  # and not the key

    def call(self, method, path, query=None, body=None, *, once=False):
        """Calls any operation and gives its answer as a dict.

        path is that of the operation, such as /grants/summary. body is sent as JSON,
        or as it is where it is a str or bytes. once is for what must not be sent
        again when it failed, because it may have been carried out.
        """
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        attempt = 1
        while True:
            try:
                return self._try(method, path, _encoded(query), body)
            except Error as e:
                e.attempts = attempt
                wait = e.retry_after
                if wait is None:
                    wait = min(2 ** min(attempt - 1, 6), max(self._longest_wait, 1))
                if (not e._again or once or attempt >= self._attempts
                        or wait > self._longest_wait and e.retry_after is not None):
                    raise
            self._pause(wait)
            attempt += 1

    def rows(self, method, path, query=None, body=None):
        """All rows of a list, page by page, each a dict.

        A loop sees no warnings, so a filter that the service does not honor is an
        UnsupportedParameter here, unless the query says strict=0. A dataset that is
        rebuilt in the middle is a CursorStale: begin again.
        """
        ranked = path.startswith(("/similar/", "/prospects/"))
        query, body, seen = dict(query or {}), None if body is None else dict(body), 0
        query.setdefault("strict", 1)
        asked, size = (query, "limit") if body is None else (body, "size")
        asked.setdefault(size, 100 if ranked else 1000)
        while True:
            page = self.call(method, path, query, body)
            results, following = page.get("results"), page.get("next_cursor")
            if not isinstance(results, list):
                raise self._unexpected("to %s has no rows" % path)
            yield from results
            seen += len(results)
            if ranked:
                if page["page"] >= page["total_pages"]:
                    return
                following = page["page"] + 1
            elif following is None:
                return
            if not results or seen > page["hits"] or following == asked.get("cursor"):
                raise self._unexpected("names a next page and does not come to an end")
            asked.pop("from", None)
            asked.pop("page", None)
            asked["page" if ranked else "cursor"] = following

    def _try(self, method, path, query, body):
        """Sends a request once."""
        path = urllib.parse.quote(path, safe="/?%!$&'()*+,;=:@~")
        url = self.address + _VERSIONED + path + (query and "?" + query)
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip",
                   "User-Agent": "grantgraph-python"}
        if body is not None:
            pdf = body.startswith(b"%PDF")
            headers["Content-Type"] = "application/pdf" if pdf else "application/json"
        if self._key:
            headers["X-API-Key"] = self._key
        kept = self._cache.find(url) if method == "GET" else None
        if kept:
            headers["If-None-Match"] = kept[0]
        try:
            request = urllib.request.Request(url, body, headers, method=method)
            with self._opener.open(request, timeout=self._timeout) as response:
                status, header = response.status, response.headers
                raw = self._read(response)
        except urllib.error.HTTPError as response:
            with response:
                if response.code == 304 and kept:
                    return json.loads(kept[1])
                raise self._refusal(response.code, response.headers, self._body(response)) from None
        except (OSError, http.client.HTTPException, zlib.error) as e:
            raise self._unanswered(e) from e
        answer = _parsed(raw)
        # What every answer has must be there, or an empty object would be an answer
        # without rows.
        if status != 200 or not isinstance(answer, dict) or answer.get("code") != 200:
            raise self._unexpected("to %s is not what this operation answers" % path, status)
        if method == "GET":
            self._cache.keep(url, header.get("ETag"), raw)
        return answer

    def _body(self, response):
        """The body of a failure, which may break too."""
        try:
            return self._read(response)
        except (OSError, http.client.HTTPException, zlib.error) as e:
            raise self._unanswered(e) from e

    def _read(self, response):
        """The body, of bounded size even where it was compressed."""
        raw = response.read(self._max_answer + 1)
        told = response.headers.get("Content-Length") or ""
        if re.fullmatch(r"[0-9]{1,18}", told) and len(raw) < min(int(told), self._max_answer):
            raise http.client.IncompleteRead(raw)
        if response.headers.get("Content-Encoding") == "gzip":
            unpacking = zlib.decompressobj(31)
            raw = unpacking.decompress(raw, self._max_answer + 1)
            if not unpacking.eof and len(raw) <= self._max_answer:
                raise http.client.IncompleteRead(raw)
        if len(raw) > self._max_answer:
            raise self._unexpected("has more than %d bytes" % self._max_answer)
        return raw

    def _refusal(self, status, header, raw):
        """The error that an answer says."""
        if 300 <= status < 400:
            return Redirect("redirect", "%s redirects to another address, %s, and nothing is "
                            "sent there" % (self.address, header.get("Location")),
                            "use that address, if you trust it", status=status)
        said = _parsed(raw)
        if isinstance(said, dict) and isinstance(said.get("message"), str) and said["message"]:
            slug = str(said.get("error") or "unexpected_answer")
            problems = said.get("detail")
            e = _ERRORS.get(slug, Error)(
                slug, said["message"], said.get("hint") or "", said.get("docs") or "", status,
                said.get("request_id") or header.get("X-Request-Id") or "",
                problems=problems if isinstance(problems, list) else (), body=said)
        else:
            e = self._unexpected("is %d, and not in the format of this service" % status, status)
        e.retry_after = _retry_after(header)
        e._again = status in (429, 502, 503, 504)
        return e

    def _unanswered(self, cause):
        """The error of a request that had no answer.

        A connection that broke may be there again; at an address where nothing is,
        another attempt is in vain.
        """
        if isinstance(cause, urllib.error.URLError) and isinstance(cause.reason, Exception):
            cause = cause.reason
        e = Unreachable("unreachable", "%s does not respond: %s" % (self.address, cause),
                        "check the address, and that the service is running")
        e._again = isinstance(cause, (socket.timeout, TimeoutError, ConnectionResetError,
                                      http.client.IncompleteRead))
        return e

    def _unexpected(self, what, status=0):
        return UnexpectedAnswer(
            "unexpected_answer", "the response of %s %s" % (self.address, what),
            "check the address: it should be that of a Grantgraph service, and a proxy in "
            "front of it may be the cause", status=status)

    # methods: generated from the operation table

    def search_organizations(self, **query):
        """Find an organization and its EIN by name, by words or by meaning.

        Needs no key; not counted. The answer as a dict.

        Parameters: q, state, mode, limit, strict.
        """
        return self.call("GET", "/search", query)

    def list_organizations(self, body, **query):
        """Organizations by filter and search terms.

        Needs a key of a paid plan; costs 1 call a page. An iterator over all rows, each
        a dict.

        Fields of the body: search_terms, mode, filters, sort, sort_by, sort_order,
        from, size, cursor.

        Parameters: strict.
        """
        return self.rows("POST", "/essentials", query, body)

    def get_meta(self, **query):
        """Dataset metadata.

        Needs no key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/meta", query)

    def list_changes(self, **query):
        """What is new since an earlier build.

        Needs any key; costs 1 call a page. An iterator over all rows, each a dict.

        Parameters: since, lists_since, page, limit, cursor, strict.
        """
        return self.rows("GET", "/changes", query)

    def list_compliance_changes(self, **query):
        """What is new on the compliance lists.

        Needs a key of a paid plan; costs 1 call a page. An iterator over all rows, each
        a dict.

        Parameters: since, lists_since, source, change, page, limit, cursor, strict.
        """
        return self.rows("GET", "/changes/lists", query)

    def list_transactions(self, **query):
        """Grants, one row each.

        Needs any key; costs 1 call a page. An iterator over all rows, each a dict.

        Parameters: funder_id, recip_id, id_type, year, min_year, max_year, subject,
        subject_basis, location, geo_id_type, location_type, near, within, query,
        support, funder_type, accepts_applications, exclude_daf, exclude, country,
        min_amt, max_amt, min_match_prob, ein_source, grant_key, sort_by, sort_order,
        page, limit, cursor, fields, strict.
        """
        return self.rows("GET", "/grants/transactions", query)

    def list_funders(self, **query):
        """Funders, ranked by dollars.

        Needs any key; costs 1 call a page. An iterator over all rows, each a dict.

        Parameters: funder_id, recip_id, id_type, year, min_year, max_year, subject,
        subject_basis, location, geo_id_type, location_type, near, within, query,
        support, funder_type, accepts_applications, exclude_daf, exclude, country,
        min_amt, max_amt, min_match_prob, ein_source, grant_key, sort_by, sort_order,
        page, limit, cursor, fields, strict.
        """
        return self.rows("GET", "/grants/funders", query)

    def list_recipients(self, **query):
        """Recipients, ranked by dollars.

        Needs any key; costs 1 call a page. An iterator over all rows, each a dict.

        Parameters: funder_id, recip_id, id_type, year, min_year, max_year, subject,
        subject_basis, location, geo_id_type, location_type, near, within, query,
        support, funder_type, accepts_applications, exclude_daf, exclude, country,
        min_amt, max_amt, min_match_prob, ein_source, grant_key, sort_by, sort_order,
        rank_unidentified, page, limit, cursor, fields, strict.
        """
        return self.rows("GET", "/grants/recipients", query)

    def summarize_grants(self, **query):
        """Totals, overall and by year.

        Needs any key; costs 1 call. The answer as a dict.

        Parameters: funder_id, recip_id, id_type, year, min_year, max_year, subject,
        subject_basis, location, geo_id_type, location_type, near, within, query,
        support, funder_type, accepts_applications, exclude_daf, exclude, country,
        min_amt, max_amt, min_match_prob, ein_source, grant_key, by, top, strict.
        """
        return self.call("GET", "/grants/summary", query)

    def screen_organization(self, ein, **query):
        """Screen an organization against the compliance lists.

        Needs any key; costs 1 call. The answer as a dict.

        Parameters: compat, exclude_ent_num, strict.
        """
        return self.call("GET", "/screening/" + _quoted(ein), query)

    def screen_organizations(self, body, **query):
        """Screen up to 100 organizations.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Fields of the body: eins, reports, exclude_ent_num.

        Parameters: compat, strict.
        """
        return self.call("POST", "/screening/bulk", query, body)

    def screen_names(self, body, **query):
        """Screen up to 100 names against the sanctions list.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Fields of the body: names, reports, exclude_ent_num.

        Parameters: compat, strict.
        """
        return self.call("POST", "/screening/names", query, body)

    def verify_report(self, document, **query):
        """Verify a report.

        Needs no key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("POST", "/screening/verify", query, document)

    def get_lists(self, **query):
        """Your lists.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/lists", query)

    def create_list(self, body, **query):
        """Make a list.

        Needs any key; not counted. The answer as a dict.

        Fields of the body: name, keep_history.

        Parameters: strict.
        """
        return self.call("POST", "/lists", query, body)

    def get_list(self, list, **query):
        """A list and its organizations.

        Needs any key; not counted. An iterator over all rows, each a dict.

        Parameters: names, limit, cursor, strict.
        """
        return self.rows("GET", "/lists/" + _quoted(list), query)

    def change_list(self, list, body, **query):
        """Rename a list or change its settings.

        Needs any key; not counted. The answer as a dict.

        Fields of the body: name, keep_history.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list), query, body)

    def delete_list(self, list, **query):
        """Delete a list.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/delete", query)

    def add_to_list(self, list, body, **query):
        """Add organizations to a list.

        Needs any key; not counted. The answer as a dict.

        Fields of the body: members.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/add", query, body)

    def remove_from_list(self, list, body, **query):
        """Remove organizations from a list.

        Needs any key; not counted. The answer as a dict.

        Fields of the body: positions.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/remove", query, body)

    def screen_list(self, list, **query):
        """Screen the next part of a list.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Parameters: run, strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/screen", query)

    def get_list_runs(self, list, **query):
        """When a list was screened.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/lists/" + _quoted(list) + "/runs", query)

    def get_list_results(self, list, run, **query):
        """What a screening of a list found.

        Needs any key; not counted. An iterator over all rows, each a dict.

        Parameters: limit, cursor, strict.
        """
        return self.rows("GET", "/lists/" + _quoted(list) + "/runs/" + _quoted(run), query)

    def delete_list_run(self, list, run, **query):
        """Delete a screening of a list.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/runs/" + _quoted(run) + "/delete", query)

    def get_watch(self, list, **query):
        """How a list is watched.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/lists/" + _quoted(list) + "/watch", query)

    def set_watch(self, list, body, **query):
        """Watch a list, and say where alerts go.

        Needs any key; not counted. The answer as a dict.

        Fields of the body: watched, email, webhook, atom.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/watch", query, body)

    def test_webhook(self, list, **query):
        """Send a test to the webhook of a list.

        Needs any key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("POST", "/lists/" + _quoted(list) + "/watch/test", query)

    def get_alerts(self, list, **query):
        """What changed for the organizations of a watched list.

        Needs any key; not counted. An iterator over all rows, each a dict.

        Parameters: after, limit, cursor, strict.
        """
        return self.rows("GET", "/lists/" + _quoted(list) + "/alerts", query)

    def get_essentials(self, ein, **query):
        """The essentials of an organization.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/essentials/" + _quoted(ein), query)

    def get_premier(self, ein, **query):
        """The full profile of an organization.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/premier/" + _quoted(ein), query)

    def find_similar(self, ein, **query):
        """Similar organizations.

        Needs a key of a paid plan; costs 1 call a page. An iterator over all rows, each
        a dict.

        Parameters: page, limit, strict.
        """
        return self.rows("GET", "/similar/" + _quoted(ein), query)

    def find_prospects(self, ein, **query):
        """Funders of similar organizations.

        Needs a key of a paid plan; costs 1 call a page. An iterator over all rows, each
        a dict.

        Parameters: location, location_type, subject, funder_type, accepts_applications,
        exclude_daf, min_amt, max_amt, min_grants_paid, max_grants_paid, page, limit,
        strict.
        """
        return self.rows("GET", "/prospects/" + _quoted(ein), query)

    def get_government_funding(self, ein, **query):
        """Federal and state awards to an organization.

        Needs a key of the Pro plan; costs 1 call. The answer as a dict.

        Parameters: page, limit, strict.
        """
        return self.call("GET", "/gov-funding/" + _quoted(ein), query)

    def mint_agent_key(self, body, **query):
        """Get a key as an automated agent.

        Needs no key; not counted. The answer as a dict.

        Fields of the body: purpose, source.

        Parameters: strict.
        """
        return self.call("POST", "/agent-key", query, body, once=True)

    def get_agent_key_rules(self, **query):
        """How agents get keys and sign requests.

        Needs no key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/agent-key", query)

    def answer_challenge(self, body, **query):
        """Answer the challenge of a locked key.

        Needs the key of an agent; not counted. The answer as a dict.

        Fields of the body: answers.

        Parameters: strict.
        """
        return self.call("POST", "/agent-key/answer", query, body, once=True)

    def renew_challenge(self, **query):
        """Get the next challenge for a key with no calls left.

        Needs the key of an agent; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("POST", "/agent-key/challenge", query, once=True)

    def run_sql(self, body, **query):
        """Run a read-only SQL query.

        Needs a key of a paid plan; costs 1 call. The answer as a dict.

        Fields of the body: sql, params.

        Parameters: strict.
        """
        return self.call("POST", "/sql", query, body)

    def get_sql_schema(self, **query):
        """The tables that SQL can read.

        Needs no key; not counted. The answer as a dict.

        Parameters: strict.
        """
        return self.call("GET", "/sql/schema", query)
    # methods: end


_VERSIONED = "/api/v1"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the address it was given for, and nowhere else."""

    def redirect_request(self, *args):
        return None


class _Cache:
    """Answers with their ETags, those that were asked for last, in so many bytes."""

    def __init__(self, limit):
        self._limit, self._used = limit, 0
        self._lock, self._kept = threading.Lock(), collections.OrderedDict()

    def find(self, url):
        with self._lock:
            if url in self._kept:
                self._kept.move_to_end(url)
            return self._kept.get(url)

    def keep(self, url, tag, raw):
        with self._lock:
            self._drop(url)
            # What is larger than a quarter of all would displace all others.
            if not tag or len(raw) + len(url) > self._limit // 4:
                return
            self._kept[url] = (tag, raw)
            self._used += len(raw) + len(url)
            while self._used > self._limit:
                self._drop(next(iter(self._kept)))

    def _drop(self, url):
        if url in self._kept:
            self._used -= len(self._kept.pop(url)[1]) + len(url)


def _parsed(raw):
    """The JSON of an answer, None where it is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _quoted(value):
    return urllib.parse.quote(str(value), safe="")


def _encoded(query):
    """The parameters as the service reads them: lists with commas, switches as 1 and 0."""
    def text(value):
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, (list, tuple, set, frozenset, range)):
            return ",".join(map(text, value))
        return str(value)

    return urllib.parse.urlencode({k: text(v) for k, v in (query or {}).items() if v is not None})


def _loopback(host):
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _retry_after(header):
    """Seconds that a service asks to wait, or a date by its own clock; None without."""
    said = (header.get("Retry-After") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", said):
        return int(said)
    try:
        date = email.utils.parsedate_to_datetime(said)
        now = email.utils.parsedate_to_datetime(header.get("Date") or "")
        return max((date - now) / datetime.timedelta(seconds=1), 0)
    except (TypeError, ValueError):
        return None
