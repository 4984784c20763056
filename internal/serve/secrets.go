package serve

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// secrets are values that must survive a restart: the secret that protects forms and challenges, and the key
// that signs requests. Servers of one service share the file.
type secrets struct {
	Forms []byte `json:"forms"`
	Seed  []byte `json:"signing_seed"`
}

const secretBytes = 32

func (s *secrets) valid() bool {
	return len(s.Forms) == secretBytes && len(s.Seed) == ed25519.SeedSize
}

func (s *secrets) key() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(s.Seed) }

// openSecrets reads the secrets at path, or draws them when there are none yet.
func openSecrets(path string) (*secrets, error) {
	for {
		s, err := readSecrets(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		s = &secrets{Forms: make([]byte, secretBytes), Seed: make([]byte, ed25519.SeedSize)}
		rand.Read(s.Forms)
		rand.Read(s.Seed)
		body, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		// Two servers may start at once: the first to put its file there wins, and the other reads it.
		err = disk.WriteNew(path, 0o600, func(w io.Writer) error { _, err := w.Write(append(body, '\n')); return err })
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fault.Disk(path, err)
		}
	}
}

func readSecrets(path string) (*secrets, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return nil, fault.New("secrets_open", "%s is readable by other users", path).Try("chmod 600 %s", path)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	var s secrets
	if err := json.Unmarshal(body, &s); err != nil || !s.valid() {
		return nil, fault.New("secrets_damaged", "%s does not hold the secrets of a service", path).
			Try("restore it from a copy; without it, remove it and everybody has to sign in again")
	}
	return &s, nil
}
