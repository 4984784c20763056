package httpsig

import (
	_ "embed"
	"encoding/json"
	"time"

	"grantgraph/client"
)

//go:embed requirements.json
var requirements []byte

// Requirements tells a client developer, in a form that a program can read, exactly how
// to sign a request so that Verify accepts it.
func (v *Verifier) Requirements() (r client.SignRules) {
	if err := json.Unmarshal(requirements, &r); err != nil {
		panic("httpsig: " + err.Error()) // it is embedded
	}
	seconds := func(d time.Duration) int { return int(d / time.Second) }
	r.Authority, r.Algorithms, r.Tag = v.authority, []string{Algorithm}, Tag
	d := &r.Directory
	d.Path, d.MediaType, d.AttestedTag = Path, MediaType, DirectoryTag
	d.MaxBytes, d.MaxKeys = MaxDirectory, MaxKeys
	d.TimeoutS, d.MinIntervalS, d.MaxCacheS = seconds(fetchTimeout), seconds(rest), seconds(maxAge)
	r.Limits = client.SignLimits{
		WindowS: seconds(v.Limits.Window), SkewS: seconds(v.Limits.Skew),
		MinNonceLength: v.Limits.MinNonce, MaxNonceLength: v.Limits.MaxNonce, MaxHeaderBytes: maxHeader,
	}
	return r
}
