package ask

import "context"

// Read finds out what a question asks for.
func (a *Asker) Read(ctx context.Context, question string) (*Plan, *Unclear) {
	return nil, &Unclear{Why: "This question was not understood."}
}
