package account

import "context"

func (s *store) TakeScreen(ctx context.Context, id string) (first bool, err error) {
	return updated(ctx, s, func(t *tx) (bool, error) {
		r, err := payerOf(t, id)
		if err != nil {
			return false, err
		}
		return t.exec("INSERT INTO screens (owner, at) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING", r.owner(), t.now.UnixNano()) == 1, nil
	})
}

func (s *store) ReturnScreen(ctx context.Context, id string) error {
	return s.update(ctx, func(t *tx) error {
		r, err := payerOf(t, id)
		if err == nil {
			t.exec("DELETE FROM screens WHERE owner = $1", r.owner())
		}
		return err
	})
}

func (s *store) Screened(ctx context.Context, id string) (bool, error) {
	from := s.view(ctx)
	r, err := payerOf(from, id)
	if err != nil {
		return false, err
	}
	var at int64
	return from.get("SELECT at FROM screens WHERE owner = $1", []any{r.owner()}, &at)
}
