package agent_test

import (
	"encoding/json"
	"fmt"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent"
	"grantgraph/internal/serve/example"
	"strings"
	"testing"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	c, err := example.Store{}.Draw(t.Context(), nil, "", 7, "v")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := agent.Keep(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := agent.Recall(kept)
	if err != nil || fmt.Sprint(*back) != fmt.Sprint(*c) || len(kept.Calls) != 3 || len(kept.Answers) != 2 || strings.Contains(string(kept.Params), "hashes") {
		t.Errorf("%+v %v", back, err)
	}
	// One that was kept whole by an earlier version is read as well.
	kept.Answers = nil
	if kept.Params, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if back, err = agent.Recall(kept); err != nil || fmt.Sprint(*back) != fmt.Sprint(*c) {
		t.Errorf("%+v %v", back, err)
	}
	if _, err := agent.Recall(account.Challenge{Params: []byte("7")}); err == nil {
		t.Error("nonsense was recalled")
	}
}
