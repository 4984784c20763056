package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/budget"
)

// Bounds of a message. The longest argument is a statement in SQL.
const (
	maxBody  = 256 << 10
	maxDepth = 64
)

// Paths lists the paths that the service answers.
func (s *Service) Paths() []string {
	return slices.AppendSeq([]string{Path}, maps.Keys(s.cards))
}

// ServeHTTP answers a message, or one of the documents that describe the service.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if d, ok := s.cards[strings.TrimSuffix(r.URL.Path, "/")]; ok {
		d.serve(w, r)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "This address speaks the Model Context Protocol: it takes messages by POST and keeps no stream open. %s/docs/mcp "+
			"says how to connect.", s.Reference.Base())
		return
	}
	// Browsers send Origin. Pages of other sites are refused: by DNS rebinding, such a
	// page could reach a server on the reader's own machine.
	if !s.ownOrigin(r) {
		refuse(w, http.StatusForbidden, "Pages of other sites may not ask here. Connect from a program, without a header Origin.")
		return
	}
	address := s.Address(r)
	body, hold, err := s.Budget.ReadBody(r, budget.Sender{Address: address}, maxBody)
	defer hold.Release()
	if err == nil { // who sends slowly has no place
		var end func()
		if end, err = s.atOnce.Begin(address); err == nil {
			defer end()
		}
	}
	var large *http.MaxBytesError
	f, refused := fault.Of(err)
	switch {
	case refused:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "%s Try: %s.", f.Message, f.Hint)
		return
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "The message is larger than %d bytes.", maxBody)
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "The message could not be read.")
		return
	}
	if err := check(body); err != nil {
		refuse(w, http.StatusBadRequest, "The message is refused: %v.", err)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), from{}, address))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	s.stream.ServeHTTP(plainly{w}, r)
}

// ownOrigin reports whether a request comes from a program or from a page of this
// site.
func (s *Service) ownOrigin(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		return true
	}
	base, err := url.Parse(s.Reference.Base())
	return err == nil && len(given) == 1 && strings.EqualFold(given[0], base.Scheme+"://"+base.Host)
}

// check refuses a message that is not a single JSON object (batches are not read),
// is nested too deeply, or
// has members of types that the protocol does not have.
func check(body []byte) error {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '{' {
		return errors.New("it is not one JSON object; batches are not read")
	}
	depth, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is nested more than %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return errors.New("it is not JSON")
	}
	// The SDK would answer these in plain text, with the names of Go's types.
	for name, begins := range map[string]string{"jsonrpc": `"`, "method": `"`, "params": "{", "error": "{", "id": `"-0123456789`} {
		if v := members[name]; len(v) > 0 && string(v) != "null" && strings.IndexByte(begins, v[0]) < 0 {
			return fmt.Errorf("its %s has the wrong type", name)
		}
	}
	if id := string(members["id"]); strings.ContainsAny(id, ".eE") && id[0] != '"' {
		return errors.New("its id is neither a text nor a whole number")
	}
	return nil
}

// goTypes matches how the SDK describes a parameter of the wrong type: with Go's types.
var goTypes = regexp.MustCompile(`: unmarshaling (?:[^"\\]|\\.)*`)

// plainly takes Go's types out of an answer that is an error.
type plainly struct{ http.ResponseWriter }

func (w plainly) Write(b []byte) (int, error) {
	plain := b
	if bytes.Contains(b, []byte(`"error":{"code":-32602,`)) {
		plain = goTypes.ReplaceAll(b, []byte(": a parameter has the wrong type"))
	}
	_, err := w.ResponseWriter.Write(plain)
	return len(b), err
}

// Unwrap lets the SDK reach the connection.
func (w plainly) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuse answers a message that cannot be handled with an error of JSON-RPC. The id
// is null because the message was not parsed.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	type problem struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Version string  `json:"jsonrpc"`
		ID      *int    `json:"id"`
		Error   problem `json:"error"`
	}{"2.0", nil, problem{invalidRequest, fmt.Sprintf(format, args...)}})
}

const invalidRequest = -32600

// InProcess sends requests to a handler in this process.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ http.Handler }

// RoundTrip lets the handler answer. An answer is cut at maxAnswer+1 bytes, so its
// reader sees from the length that it is too large.
func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, r)
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r}, nil
}

// recorded is a ResponseWriter that keeps the answer in memory.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorded) Header() http.Header    { return w.header }
func (w *recorded) WriteHeader(status int) { w.status = status }

func (w *recorded) Write(b []byte) (int, error) {
	w.body.Write(b[:min(len(b), maxAnswer+1-w.body.Len())])
	return len(b), nil
}
