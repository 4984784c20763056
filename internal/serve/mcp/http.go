package mcp

import (
	"bytes"
	"cmp"
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
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
)

// Bounds of a message. The longest argument is a statement in SQL.
const (
	maxBody  = 256 << 10
	maxDepth = 64
)

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
	// By DNS rebinding, a page of another site could reach a server on the reader's own machine.
	if !s.ownOrigin(r) {
		refuse(w, http.StatusForbidden, "Pages of other sites may not ask here. Connect from a program, without a header Origin.")
		return
	}
	sender := budget.Sender{Address: s.Address(r), Account: s.Payer(r)}
	body, hold, err := s.Budget.ReadBody(r, sender, maxBody)
	defer hold.Release()
	if err == nil { // who sends slowly has no place
		var end func()
		if end, err = s.places.Begin(sender); err == nil {
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
	id, method, err := check(body)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "The message is refused: %v.", err)
		return
	case method == methodListen: // the SDK would open a stream for the error
		writeError(w, http.StatusNotFound, id, rpcError{Code: jsonrpc.CodeMethodNotFound, Message: notOffered(method).Error()})
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), from{}, sender.Address))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	s.stream.ServeHTTP(&plainly{ResponseWriter: w, id: id}, r)
}

// ownOrigin reports whether a request comes from a program or a page of this site.
func (s *Service) ownOrigin(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		return true
	}
	base, err := url.Parse(s.Reference.Base())
	return err == nil && len(given) == 1 && strings.EqualFold(given[0], base.Scheme+"://"+base.Host)
}

// check refuses a message that is not a single JSON object (batches are not read), is nested too deeply, names a member twice,
// or has members of types that the protocol does not have. It returns the id of the message, nil for none.
func check(body []byte) (id json.RawMessage, method string, err error) {
	if body = bytes.TrimLeft(body, " \t\r\n"); len(body) == 0 || body[0] != '{' {
		return nil, "", errors.New("it is not one JSON object; batches are not read")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // of any size
	if err := checkNames(d, maxDepth); err != nil {
		return nil, "", err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil, "", errNotJSON
	}
	// The SDK would answer these in plain text, with the names of Go's types.
	for name, begins := range map[string]string{"jsonrpc": `"`, "method": `"`, "params": "{n", "error": "{n", "id": `"-0123456789`} {
		if v := members[name]; len(v) > 0 && strings.IndexByte(begins, v[0]) < 0 {
			return nil, "", fmt.Errorf("its %s has the wrong type", name)
		}
	}
	if v := members["error"]; v != nil && json.Unmarshal(v, new(rpcError)) != nil {
		return nil, "", errors.New("its error is not a code, which is a whole number, and a message")
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return nil, "", errors.New(`its jsonrpc is not "2.0"`)
	}
	id = members["id"]
	if len(id) > 0 && id[0] != '"' {
		if n, err := strconv.ParseInt(string(id), 10, 64); err != nil || n > largestID || n < -largestID {
			return nil, "", errors.New("its id is neither a text nor a whole number of at most 15 digits")
		}
	}
	_ = json.Unmarshal(members["method"], &method)
	return id, method, nil
}

const largestID = 999_999_999_999_999 // the SDK counts in floating point

var errNotJSON = errors.New("it is not JSON")

// checkNames refuses an object with two members of the same name: readers differ in which they take.
func checkNames(d *json.Decoder, levels int) error {
	t, err := d.Token()
	if err != nil {
		return errNotJSON
	}
	if t != json.Delim('{') && t != json.Delim('[') {
		return nil
	}
	if levels == 0 {
		return fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if t == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return errNotJSON
			}
			if seen[name] {
				return fmt.Errorf("it has two members named %s", fault.Clip(fmt.Sprint(name), 40))
			}
			seen[name] = true
		}
		if err := checkNames(d, levels-1); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return errNotJSON
	}
	return nil
}

var (
	// goWords matches texts of the SDK that name Go's packages and types.
	goWords = regexp.MustCompile(`\bjson:|nmarshal|\bGo (struct|value)|\b(mcp|jsonrpc2?)\.|decoding|invalid character`)
	// goField matches the name of the member that has the wrong type.
	goField = regexp.MustCompile(`Go struct field \w+\.([\w.]+) of type`)
)

// plainly makes every refusal of the SDK an error of JSON-RPC without Go's types.
type plainly struct {
	http.ResponseWriter
	id     json.RawMessage // of the message
	status int             // of a refusal in plain text, or 0
}

func (w *plainly) WriteHeader(status int) {
	if status >= http.StatusBadRequest && w.Header().Get("Content-Type") != "application/json" {
		w.status = status // Write knows what to say
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *plainly) Write(b []byte) (int, error) {
	if w.status != 0 {
		text, unknown := strings.CutPrefix(strings.TrimSpace(string(b)), "JSON RPC not handled: ")
		text = strings.TrimPrefix(strings.TrimPrefix(text, "Bad Request: "), "invalid request: ")
		e := rpcError{Code: jsonrpc.CodeInvalidRequest, Message: "The message is refused: " + text + "."}
		if unknown {
			e.Code = jsonrpc.CodeMethodNotFound
		}
		writeError(w.ResponseWriter, w.status, w.id, e)
		return len(b), nil
	}
	if bytes.Contains(b, []byte(`"error":{"code":`)) {
		var answer struct {
			Error *rpcError `json:"error"`
		}
		if json.Unmarshal(b, &answer) == nil && answer.Error != nil {
			writeError(w.ResponseWriter, 0, w.id, *answer.Error)
			return len(b), nil
		}
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the SDK reach the connection.
func (w *plainly) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuse answers a message that was not parsed, hence without id, with an error of JSON-RPC.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Cache-Control", "no-store")
	writeError(w, status, nil, rpcError{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)})
}

type rpcError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// writeError writes an error of JSON-RPC in plain words, with a status unless it is 0.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, e rpcError) {
	if goWords.MatchString(e.Message) {
		name := "A parameter"
		if m := goField.FindStringSubmatch(e.Message); m != nil {
			name = "The parameter " + m[1]
		}
		e = rpcError{Code: jsonrpc.CodeInvalidParams, Message: name + " has the wrong type."}
	}
	e.Code = cmp.Or(e.Code, jsonrpc.CodeInvalidRequest) // the SDK leaves some without a code
	e.Message = fault.Clip(e.Message, maxProblem)
	if status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
	}
	_ = json.NewEncoder(w).Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // null for nil
		Error   rpcError        `json:"error"`
	}{"2.0", id, e})
}

const maxProblem = 1000 // bytes of what is said about a message

// InProcess sends requests to a handler in this process.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ http.Handler }

// RoundTrip lets the handler answer. An answer is cut at maxAnswer+1 bytes, which is seen to be too large.
func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	k := api.Keep(h, r, maxAnswer+1)
	return &http.Response{StatusCode: k.Status, Header: k.Header(), Body: io.NopCloser(&k.Body), ContentLength: int64(k.Body.Len()), Request: r}, nil
}
