package asking

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
)

// slowest is how long the visitor may take for one event.
const slowest = 10 * time.Second

// stream answers a question as events, each as soon as it is ready. The answer to a question is the same each time and is paid
// once, so a client resumes a broken stream by asking again: Last-Event-ID names the last event that it has.
func (s *room) stream(w http.ResponseWriter, r *http.Request) {
	private(w)
	if !s.Ours(r) {
		refuse(w, r, http.StatusForbidden, "not_public", notPublic)
		return
	}
	q, bad := readQuestion(r)
	if bad != nil {
		refuse(w, r, bad.Status, bad.Slug, bad.Text)
		return
	}
	a, err := s.asker(w, r, strings.TrimSpace(q.Key))
	if err != nil {
		p := s.explain(r.Context(), err)
		refuse(w, r, p.Status, p.Slug, p.Text)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // so that a proxy does not wait for the whole stream
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	e := &events{w: w, control: http.NewResponseController(w), version: a.data.Version(), last: r.Header.Get("Last-Event-ID")}
	if !e.write(": the question is being read\n\n") {
		return
	}
	var p reply
	s.answer(ctx, a, q, &p, func(part string) bool {
		body, err := s.event(part, &p)
		if err != nil {
			s.Log.Error("drawing a part of an answer", "part", part, "error", err)
			body, part = []byte(`{"code":500,"error":"internal_error","message":"We could not show the answer.","html":""}`), partError
		}
		return e.send(part, &p, body) && err == nil
	})
}

// notPublic refuses callers other than the page.
const notPublic = "Questions are answered on the page /ask only, to the page itself. Programs use the other endpoints of the API."

// readQuestion reads the body of a request, or says what is wrong with it.
func readQuestion(r *http.Request) (q Question, bad *problem) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return q, &problem{Status: http.StatusUnsupportedMediaType, Slug: "unsupported_media_type", Text: "A question is sent as JSON."}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	switch {
	case err != nil:
		return q, &problem{Status: http.StatusBadRequest, Slug: "malformed_query", Text: "The question did not arrive."}
	case len(body) > mostBody:
		return q, &problem{Status: http.StatusRequestEntityTooLarge, Slug: "body_too_large", Text: "That is too long for a question. Ask it in one or two sentences."}
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, &problem{Status: http.StatusUnprocessableEntity, Slug: "invalid_request", Text: "The question cannot be read."}
	}
	return q, nil
}

// refuse answers with an error of the API, before the stream begins.
func refuse(w http.ResponseWriter, r *http.Request, status int, slug, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(client.Failure{Code: status, Message: message, Error: slug, RequestID: api.RequestID(r)})
}

type events struct {
	w       io.Writer
	control *http.ResponseController
	version string // of the dataset
	last    string // the last event that the client has
	tag     string // of this answer
	sent    int
}

// send writes one event, unless the client has it, and reports whether to go on.
func (e *events) send(part string, p *reply, body []byte) bool {
	if e.tag == "" {
		// The tag names this answer. A client that has another answer gets all events.
		of := p.Question.Text + "\x00"
		if p.Plan != nil {
			of += p.Plan.String()
		}
		sum := sha256.Sum256([]byte(e.version + "\x00" + of))
		e.tag = base64.RawURLEncoding.EncodeToString(sum[:9])
	}
	e.sent++
	if tag, n, ok := strings.Cut(e.last, "."); ok && tag == e.tag {
		if had, err := strconv.Atoi(n); err == nil && e.sent <= had && part != partDone && part != partError {
			return true
		}
	}
	return e.write(fmt.Sprintf("id: %s.%d\nevent: %s\ndata: %s\n\n", e.tag, e.sent, part, body))
}

func (e *events) write(text string) bool {
	// If the deadline cannot be moved, the deadline of the server holds.
	_ = e.control.SetWriteDeadline(time.Now().Add(slowest))
	if _, err := io.WriteString(e.w, text); err != nil {
		return false
	}
	err := e.control.Flush()
	return err == nil || errors.Is(err, http.ErrNotSupported)
}

// event is one part of a reply as the script reads it: the data, and the HTML.
func (s *room) event(part string, p *reply) ([]byte, error) {
	data := map[string]any{}
	switch part {
	case partUnderstood:
		chips := each.Of(p.Chips, func(c chip) map[string]string { return map[string]string{"label": c.Label, "value": c.Value} })
		data["question"], data["plan"], data["chips"] = p.Question.Text, p.Plan, chips
		if p.Filled != "" {
			data["filled_by"] = p.Filled
		}
	case partRequest:
		data["request"] = p.Found.Request
	case partRows:
		data["figures"], data["columns"], data["rows"] = p.Found.Figures, p.Found.Columns, p.Found.Rows
	case partChart:
		data["chart"] = p.Found.Chart
	case partAnswer:
		data["answer"], data["caveats"] = p.Found.Answer, p.Found.Caveats
	case partUnclear:
		data["why"], data["try"] = p.Unclear.Why, append([]string{}, p.Unclear.Try...)
	case partError:
		data["code"], data["error"], data["message"] = p.Problem.Status, p.Problem.Slug, p.Problem.Text
	case partDone:
		data["paid"], data["free"] = p.Paid, account.FreeQuestions
		return json.Marshal(data)
	}
	html, err := s.pages.Fragment("ask", part, p)
	if err != nil {
		return nil, err
	}
	data["html"] = html
	return json.Marshal(data)
}
