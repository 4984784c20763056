package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"golang.org/x/sync/semaphore"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/secret"
)

// Objects longer than a part are sent in parts. A store takes at most 10,000 parts, so very long objects have longer parts.
const (
	leastPart = 16 << 20
	mostParts = 9_000
)

type s3 struct {
	core     *minio.Core
	bucket   string
	prefix   string // empty, or ends with a slash
	endpoint string
	sse      encrypt.ServerSide // nil if not used
	part     int64              // minimum length of a part
	parallel int
	slots    *semaphore.Weighted // limits requests that carry content
	met      atomic.Bool         // the bucket is known to exist
}

var addressOptions = []string{"endpoint", "region", "style"}

func openS3(u *url.URL, opt Options, bad func(string) error) (Store, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, bad("its options cannot be read")
	}
	for name := range query {
		if !slices.Contains(addressOptions, name) {
			return nil, bad("there is no option " + fault.Clip(name, 40) + "; there are " + strings.Join(addressOptions, ", "))
		}
	}
	s := &s3{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), part: leastPart, parallel: opt.Parallel, slots: semaphore.NewWeighted(int64(opt.Parallel))}
	if err := s3utils.CheckValidBucketNameStrict(s.bucket); err != nil {
		return nil, bad("the name of the bucket is none")
	}
	if s.prefix != "" {
		for _, part := range strings.Split(s.prefix, "/") {
			if part == "" || part == "." || part == ".." {
				return nil, bad("the prefix has a part that is empty or dots")
			}
		}
		s.prefix += "/"
	}
	own := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	region := cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	s.endpoint = cmp.Or(own, "https://s3.amazonaws.com")
	at, err := url.Parse(s.endpoint)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || strings.Trim(at.Path, "/") != "" || at.User != nil {
		return nil, bad("the endpoint is not a web address such as https://s3.example.org:9000")
	}
	options := &minio.Options{Secure: at.Scheme == "https", Region: region, MaxRetries: 5}
	switch query.Get("style") {
	case "":
	case "path":
		options.BucketLookup = minio.BucketLookupPath
	case "virtual":
		options.BucketLookup = minio.BucketLookupDNS
	default:
		return nil, bad("style is neither path nor virtual")
	}
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}}
	if own == "" {
		// Only machines of this provider have an identity of their own.
		providers = append(providers, &credentials.IAM{})
	} else if region == "" {
		options.Region = "us-east-1" // stores without regions expect this one
	}
	options.Creds = credentials.NewChainCredentials(providers)
	if s.sse, err = encryption(opt.Headers); err != nil {
		return nil, err
	}
	if s.core, err = minio.NewCore(at.Host, options); err != nil {
		return nil, bad(err.Error())
	}
	return s, nil
}

func (s *s3) String() string { return "s3://" + s.bucket + "/" + strings.TrimSuffix(s.prefix, "/") }

// Web is the web address of the store for programs that read buckets over HTTP. It is empty for a folder.
func Web(s Store) string {
	b, ok := s.(*s3)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(b.endpoint, "/")+"/"+b.bucket+"/"+b.prefix, "/")
}

// headers are the operator's headers of server-side encryption.
type headers map[string]string

const ssePrefix = "X-Amz-Server-Side-Encryption"

// encryption reads the headers that are sent with every object.
func encryption(lines []secret.Text) (encrypt.ServerSide, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	h := headers{}
	for _, line := range lines {
		name, value, found := strings.Cut(line.Reveal(), ":")
		name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !found || !strings.HasPrefix(name, ssePrefix) || value == "" || strings.ContainsAny(value, "\r\n") {
			return nil, fault.New("bad_flag", "a --store-header is not a header of server-side encryption").
				Try("--store-header 'x-amz-server-side-encryption: aws:kms'")
		}
		h[name] = value
	}
	return h, nil
}

func (h headers) Type() encrypt.Type {
	for name := range h {
		if strings.HasPrefix(name, ssePrefix+"-Customer") {
			return encrypt.SSEC // also needed for reading, and for each part
		}
	}
	return encrypt.S3
}

func (h headers) Marshal(to http.Header) {
	for name, value := range h {
		to.Set(name, value)
	}
}

// reading is the encryption that reads must declare.
func (s *s3) reading() encrypt.ServerSide {
	if s.sse != nil && s.sse.Type() == encrypt.SSEC {
		return s.sse
	}
	return nil
}

func (s *s3) Get(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	if n <= 0 {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	opt := minio.GetObjectOptions{ServerSideEncryption: s.reading()}
	if err := opt.SetRange(off, off+n-1); err != nil {
		return nil, err
	}
	body, _, header, err := s.core.GetObject(ctx, s.bucket, s.prefix+key, opt)
	if err != nil {
		if minio.ToErrorResponse(err).Code == "InvalidRange" {
			return io.NopCloser(bytes.NewReader(nil)), nil // the object is empty or ends before
		}
		return nil, s.explain(ctx, err)
	}
	if off > 0 && header.Get("Content-Range") == "" {
		body.Close()
		return nil, fault.New("store_ranges", "%s does not read objects in part", s).Try("use a store that honors the Range header")
	}
	return &explained{body, ctx, s}, nil
}

// explained is a body that puts its errors into words.
type explained struct {
	io.ReadCloser
	ctx context.Context // of the request
	s   *s3
}

func (e *explained) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = e.s.explain(e.ctx, err)
	}
	return n, err
}

func (s *s3) Put(ctx context.Context, key string, body io.ReaderAt, size int64) error {
	if size > s.part {
		return s.explain(ctx, s.putParts(ctx, key, body, size))
	}
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.slots.Release(1)
	_, err := s.put(ctx, key, io.NewSectionReader(body, 0, size), size, minio.PutObjectOptions{ServerSideEncryption: s.sse})
	return s.explain(ctx, err)
}

func (s *s3) put(ctx context.Context, key string, body io.ReadSeeker, size int64, opt minio.PutObjectOptions) (minio.UploadInfo, error) {
	sum, old, err := disk.Digests(disk.Until(ctx, body))
	if err != nil {
		return minio.UploadInfo{}, err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return minio.UploadInfo{}, err
	}
	opt.DisableContentSha256 = true // a stream is signed with the sum of the whole
	return s.core.PutObject(ctx, s.bucket, s.prefix+key, body, size, base64.StdEncoding.EncodeToString(old[:]), sum, opt)
}

// putParts sends an object in parts, several at a time. It skips parts that an interrupted attempt has sent.
func (s *s3) putParts(ctx context.Context, key string, body io.ReaderAt, size int64) error {
	name := s.prefix + key
	part := s.part
	if each := (size + mostParts - 1) / mostParts; each > part {
		part = (each + 1<<20 - 1) >> 20 << 20
	}
	parts := make([]minio.CompletePart, int((size+part-1)/part))
	upload, sent, err := s.unfinished(ctx, name)
	if err != nil {
		return err
	}
	if upload == "" {
		if upload, err = s.core.NewMultipartUpload(ctx, s.bucket, name, minio.PutObjectOptions{ServerSideEncryption: s.sse}); err != nil {
			return err
		}
	}
	err = parallel.Each(ctx, s.parallel, len(parts), func(ctx context.Context, i int) error {
		if err := s.slots.Acquire(ctx, 1); err != nil {
			return err
		}
		defer s.slots.Release(1)
		off := int64(i) * part
		n := min(part, size-off)
		r := io.NewSectionReader(body, off, n)
		sum, md5, err := disk.Digests(disk.Until(ctx, r))
		if err != nil {
			return err
		}
		number := i + 1
		if old, ok := sent[number]; ok && old.Size == n && strings.Trim(old.ETag, `"`) == hex.EncodeToString(md5[:]) {
			parts[i] = minio.CompletePart{PartNumber: number, ETag: strings.Trim(old.ETag, `"`)}
			return nil
		}
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		got, err := s.core.PutObjectPart(ctx, s.bucket, name, upload, number, r, n,
			minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(md5[:]), Sha256Hex: sum, SSE: s.reading(), DisableContentSha256: true})
		if err != nil {
			return err
		}
		parts[i] = minio.CompletePart{PartNumber: number, ETag: got.ETag}
		return nil
	})
	if err == nil {
		_, err = s.core.CompleteMultipartUpload(ctx, s.bucket, name, upload, parts, minio.PutObjectOptions{ServerSideEncryption: s.reading()})
	}
	if minio.ToErrorResponse(err).Code == "NoSuchUpload" {
		// Another publisher of the same content was faster.
		if there, herr := s.Head(ctx, key); herr == nil && there.Size == size {
			return nil
		}
	}
	return err
}

// unfinished finds the newest interrupted attempt to send an object, and the parts that arrived.
func (s *s3) unfinished(ctx context.Context, name string) (upload string, parts map[int]minio.ObjectPart, err error) {
	var began time.Time
	err = s.uploads(ctx, name, func(u minio.ObjectMultipartInfo) error {
		if u.Key == name && (upload == "" || u.Initiated.After(began)) {
			upload, began = u.UploadID, u.Initiated
		}
		return nil
	})
	if err != nil || upload == "" {
		return "", nil, err
	}
	parts = map[int]minio.ObjectPart{}
	for marker := 0; ; {
		page, err := s.core.ListObjectParts(ctx, s.bucket, name, upload, marker, 1000)
		if minio.ToErrorResponse(err).Code == "NoSuchUpload" {
			return "", nil, nil // finished or given up meanwhile
		}
		if err != nil {
			return "", nil, err
		}
		for _, p := range page.ObjectParts {
			parts[p.PartNumber] = p
		}
		if !page.IsTruncated || page.NextPartNumberMarker <= marker {
			return upload, parts, nil
		}
		marker = page.NextPartNumberMarker
	}
}

func (s *s3) uploads(ctx context.Context, prefix string, each func(minio.ObjectMultipartInfo) error) error {
	for key, id, pages := "", "", 0; pages < 1000; pages++ {
		page, err := s.core.ListMultipartUploads(ctx, s.bucket, prefix, key, id, "", 1000)
		if minio.ToErrorResponse(err).Code == "NoSuchUpload" {
			return nil // some stores report that there is none in this way
		}
		if err != nil {
			return err
		}
		for _, u := range page.Uploads {
			if err := each(u); err != nil {
				return err
			}
		}
		if !page.IsTruncated || page.NextKeyMarker == "" {
			return nil
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
	return nil
}

func (s *s3) PutIf(ctx context.Context, key string, body []byte, tag string) (string, error) {
	opt := minio.PutObjectOptions{ServerSideEncryption: s.sse, ContentType: "application/json"}
	if tag == "" {
		opt.SetMatchETagExcept("*")
	} else {
		opt.SetMatchETag(tag)
	}
	info, err := s.put(ctx, key, bytes.NewReader(body), int64(len(body)), opt)
	if err != nil {
		r := minio.ToErrorResponse(err)
		switch {
		case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusConflict, tag != "" && r.Code == minio.NoSuchKey:
			return "", ErrChanged
		case r.StatusCode == http.StatusNotImplemented:
			return "", unconditional(s)
		}
		return "", s.explain(ctx, err)
	}
	return info.ETag, nil
}

// unconditional is the error for a store without conditional writes, which cannot keep two publishers apart.
func unconditional(s Store) error {
	return fault.New("store_conditional", "%s does not know conditional writes, by which two publishers are told apart", s).
		Try("use a store that honors If-Match and If-None-Match")
}

func (s *s3) Head(ctx context.Context, key string) (Info, error) {
	o, err := s.core.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{ServerSideEncryption: s.reading()})
	if err != nil {
		if err := s.explain(ctx, err); !errors.Is(err, fs.ErrNotExist) || s.met.Load() {
			return Info{}, err
		}
		// Head has no body to say whether the object, the bucket or the user is missing. List has one.
		enough := errors.New("enough")
		if err := s.List(ctx, "", func(Info) error { return enough }); err != nil && !errors.Is(err, enough) {
			return Info{}, err
		}
		s.met.Store(true)
		return Info{}, fs.ErrNotExist
	}
	return Info{Key: key, Size: o.Size, Tag: o.ETag, Modified: o.LastModified}, nil
}

func (s *s3) List(ctx context.Context, prefix string, each func(Info) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
		if o.Err != nil {
			return s.explain(ctx, o.Err)
		}
		key, ok := strings.CutPrefix(o.Key, s.prefix)
		if !ok {
			continue
		}
		if err := each(Info{Key: key, Size: o.Size, Tag: o.ETag, Modified: o.LastModified}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *s3) Delete(ctx context.Context, key string) error {
	err := s.explain(ctx, s.core.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s *s3) Forget(ctx context.Context, prefix string, then time.Time) error {
	return s.explain(ctx, s.uploads(ctx, s.prefix+prefix, func(u minio.ObjectMultipartInfo) error {
		if !u.Initiated.Before(then) {
			return nil
		}
		return s.core.AbortMultipartUpload(ctx, s.bucket, u.Key, u.UploadID)
	}))
}

// explain puts an error of the store into plain words.
func (s *s3) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	// Only the context shows that our own time is over. A connection timeout also looks like a deadline, but is the store's.
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := fault.Of(err); ok {
		return err
	}
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		return fault.New("store_unreachable", "%s at %s does not answer: %w", s, s.endpoint, err).
			Try("check the network and ?endpoint=; what was there before is untouched")
	}
	switch r.Code {
	case minio.NoSuchKey, "NotFound":
		return fs.ErrNotExist
	case minio.NoSuchBucket:
		return fault.New("store_bucket", "there is no bucket %s at %s", s.bucket, s.endpoint).
			Try("make the bucket, or check its name, ?endpoint= and ?region=")
	case "RequestTimeTooSkewed":
		return fault.New("store_clock", "the clock of this machine differs too much from that of %s: %w", s, err).
			Try("set the clock, with an NTP service such as chrony, and run it again")
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthorizationHeaderMalformed", "CredentialsNotSupported",
		"XAdminUserNotFound", minio.AccessDenied:
		return s.refused(err)
	}
	switch {
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		return s.refused(err)
	case r.StatusCode >= 500:
		return fault.New("store_failing", "%s fails: %w", s, err).Try("see the log of the store, and run it again later; what was there before is untouched")
	}
	return fault.New("store_refused", "%s refuses: %w", s, err).Try("see what the message says; what was there before is untouched")
}

func (s *s3) refused(err error) error {
	return fault.New("store_credentials", "%s does not allow this with the credentials it was given: %w", s, err).
		Try("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE with ~/.aws/credentials, of a user who may read this prefix, and write it to publish")
}
