package serve

import (
	"context"
	"fmt"
	"log/slog"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/account"
)

// masked is a log handler that hides keys in everything that is logged, whatever the care of its callers.
type masked struct{ slog.Handler }

func (m masked) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, account.MaskKeys(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(mask(a))
		return true
	})
	return m.Handler.Handle(ctx, out)
}

func (m masked) WithAttrs(attrs []slog.Attr) slog.Handler {
	return masked{m.Handler.WithAttrs(each.Of(attrs, mask))}
}

func (m masked) WithGroup(name string) slog.Handler { return masked{m.Handler.WithGroup(name)} }

// mask hides keys in an attribute. A value of a type of its own stays as it is, unless its text has a key.
func mask(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(account.MaskKeys(v.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(each.Of(v.Group(), mask)...)
	case slog.KindAny:
		said := fmt.Sprintf("%+v", v.Any())
		if safe := account.MaskKeys(said); safe != said {
			a.Value = slog.StringValue(safe)
		}
	}
	return a
}
