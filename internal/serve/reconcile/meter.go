package reconcile

import (
	"net/http"
	"strconv"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/network"
)

// admit charges a request about n organizations and lets it in. A request with a key costs one call; without a key it uses up n
// of the address's names for the day. Refused requests are free. The dataset is held until release.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, n int) (d *dataset.Dataset, release func(), err error) {
	if err := addressed(r); err != nil {
		return nil, nil, err
	}
	key := account.Credential(r.Header)
	most := FreeBatch
	if key != "" {
		most = KeyBatch
	}
	if n > most {
		f := fault.New(slugTooLarge, "A request may have %d organizations, and this one has %d.", most, n).Try("send %d at a time", most)
		if key == "" {
			f.Try("send %d at a time, or up to %d with a key", most, KeyBatch)
		}
		return nil, nil, f
	}
	if d, release, err = h.acquire(w); err != nil {
		return nil, nil, err
	}
	if err := h.charge(w, r, key, n); err != nil {
		release()
		return nil, nil, err
	}
	return d, release, nil
}

// acquire holds the dataset, if all the files it needs are in service.
func (h *Handler) acquire(w http.ResponseWriter) (*dataset.Dataset, func(), error) {
	d, release := h.Acquire()
	if !d.Whole() {
		release()
		return nil, nil, fault.New(slugNoData, "A file that the answer needs is damaged, and out of service until another build is served.").
			Try("ask again later; nothing was counted")
	}
	w.Header().Set("X-Dataset-Version", d.Version())
	return d, release, nil
}

func (h *Handler) charge(w http.ResponseWriter, r *http.Request, secret string, n int) error {
	if secret != "" {
		key, err := h.Accounts.Authenticate(r.Context(), secret)
		if err != nil {
			return err
		}
		if err := key.Require(account.Grants); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		balance, err := h.Accounts.Charge(r.Context(), key.ID, 1)
		api.SetBalance(w.Header(), balance)
		return err
	}
	from := h.Address(r)
	if n == 0 || network.Local(from) {
		return nil
	}
	left, err := h.Accounts.TakeNames(r.Context(), from, n)
	if err == nil {
		w.Header().Set("X-Names-Remaining", strconv.Itoa(left))
	}
	return err
}

// look lets a request for a suggestion or a preview in.
func (h *Handler) look(w http.ResponseWriter, r *http.Request) (*dataset.Dataset, func(), error) {
	if err := addressed(r); err != nil {
		return nil, nil, err
	}
	if wait, ok := h.looks.Take(h.Address(r)); !ok {
		f := fault.New(slugRate, "That was faster than anybody types.").Try("wait a moment")
		f.Err = &account.WaitError{Wait: max(wait, time.Second)}
		return nil, nil, f
	}
	return h.acquire(w)
}

// addressed refuses a key in the URL, because proxies log URLs.
func addressed(r *http.Request) error {
	if account.MaskKeys(r.URL.RawQuery) == r.URL.RawQuery {
		return nil
	}
	return fault.New(slugKeyURL, "There is a key in the address, where others can read it.").
		Try("send it as X-API-Key: <key>, and rotate it on your account page")
}
