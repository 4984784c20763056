package site

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"
)

// flash is a message that one request leaves for the next page, such as a new key.
// It travels in an encrypted cookie, works only for its visitor and expires in a
// few minutes. A key is shown once, even across several servers.
type flash struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email,omitempty"`
	Key   string    `json:"key,omitempty"`
	KeyID string    `json:"key_id,omitempty"`
	Until time.Time `json:"until"`
}

// Kinds of flashes.
const (
	flashMade      = "made"      // a key was made
	flashRotated   = "rotated"   // a key has a new secret
	flashLost      = "lost"      // a key was made but cannot be shown
	flashSignUp    = "signup"    // an email follows a sign-up
	flashForgot    = "forgot"    // an email may follow a forgotten password
	flashConfirmed = "confirmed" // an address was confirmed
	flashPassword  = "password"  // the password was changed
	flashDeleted   = "deleted"   // a key was deleted
)

const (
	flashAge   = 5 * time.Minute
	flashNonce = 12 // bytes of the nonce that a sealed flash begins with
)

// newCipher makes a cipher that begins each sealed text with a random nonce.
func newCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (s *Site) leaveFlash(v *visit, f flash) {
	f.Until = s.Clock().Add(flashAge).UTC()
	text, _ := json.Marshal(f) // texts and a time always have a JSON form
	sealed := s.flashes.Seal(nil, nil, text, []byte(v.bind))
	s.setCookie(v.w, flashCookie, base64.RawURLEncoding.EncodeToString(sealed), flashAge, http.SameSiteStrictMode)
}

// takeFlash takes the flash that was left, unless it was taken before.
func (s *Site) takeFlash(v *visit) flash {
	text := s.cookie(v.r, flashCookie)
	if text == "" || v.r.Method != http.MethodGet {
		return flash{}
	}
	s.dropCookie(v.w, flashCookie)
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return flash{}
	}
	var f flash
	open, err := s.flashes.Open(nil, nil, sealed, []byte(v.bind))
	if err != nil || json.Unmarshal(open, &f) != nil || !s.Clock().Before(f.Until) {
		return flash{}
	}
	if f.Key == "" {
		return f
	}
	// The cookie may be a copy; the store knows whether the key was shown.
	fresh, err := s.Accounts.Seen(v.r.Context(), "flash "+v.account.ID, hex.EncodeToString(sealed[:flashNonce]), f.Until)
	if err != nil {
		s.Log.Error("a key could not be shown", "error", err)
	}
	switch {
	case err != nil:
		return flash{Kind: flashLost}
	case !fresh:
		return flash{}
	}
	return f
}
