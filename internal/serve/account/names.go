package account

import "context"

// FreeNames is how many names all visitors at one network address may look up in
// a day of UTC without a key.
const FreeNames = 1_000

func (s *store) TakeNames(ctx context.Context, address string, n int) (left int, err error) {
	const kind = "names"
	who := s.pepperedHash("question "+kind, networkOf(address))
	err = s.update(ctx, func(t *tx) error {
		day := Day.Start(t.now).Unix()
		// Adding nothing locks the row, and makes one where there is none.
		var taken int
		t.wrote = true
		_, err := t.get("INSERT INTO questions (kind, who, day, asked) VALUES ($1, $2, $3, 0)"+
			" ON CONFLICT (kind, who, day) DO UPDATE SET asked = questions.asked RETURNING asked", []any{kind, who, day}, &taken)
		if err != nil {
			return err
		}
		if left = max(0, FreeNames-taken); n > left {
			return namesSpent(n, left, Day.Reset(t.now).Sub(t.now))
		}
		left -= n
		return t.later("UPDATE questions SET asked = asked + $4 WHERE kind = $1 AND who = $2 AND day = $3", kind, who, day, n)
	})
	if err != nil {
		return 0, err
	}
	return left, nil
}
