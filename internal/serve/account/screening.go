package account

import "context"

func (s *store) TakeScreen(ctx context.Context, id string) (first bool, err error) {
	err = s.update(ctx, func(t *tx) error {
		r, err := findKey(t, id)
		if err != nil {
			return err
		}
		n, err := t.exec("INSERT INTO screens (owner, at) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING", r.owner(), t.now.UnixNano())
		first = n == 1
		return err
	})
	return first && err == nil, err
}
