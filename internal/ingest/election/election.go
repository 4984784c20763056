// Package election chooses one of several servers that share a PostgreSQL database
// to do some work, and another server as soon as the first is gone.
//
// The leader holds an advisory lock on a connection of its own, so PostgreSQL takes the lock back when the
// process dies. A server that loses the connection has lost the lock: it stops the work before it competes
// again. Until it notices, two servers may work for some seconds, so what they write must allow for that; see
// snapshot/remote, where pointers move by conditional writes.
package election

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// Options say what the work is and where the servers compete for it.
type Options struct {
	Database secret.URL    // of PostgreSQL
	Name     string        // of the work
	Poll     time.Duration // how often to compete, and to see that the lock is still held; 0 is two seconds
	Patience time.Duration // how long the database may take for an answer; 0 is five seconds
	Log      *slog.Logger
}

type Candidate struct {
	opt     Options
	config  *pgx.ConnConfig
	key     int64
	leading atomic.Bool
	said    string // the failure that was logged last
}

// New reads the address of the database and asks nothing of it yet.
func New(opt Options) (*Candidate, error) {
	config, err := pgx.ParseConfig(opt.Database.Reveal())
	if err != nil {
		// The driver's words may repeat the address, and with it a password.
		return nil, fault.New("bad_store_address", "the address of the database is not one of PostgreSQL").
			Try("give one like postgres://user:password@host:5432/database")
	}
	opt.Poll, opt.Patience = cmp.Or(opt.Poll, 2*time.Second), cmp.Or(opt.Patience, 5*time.Second)
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, opt.Patience)
	// Services in different schemas of one database are different services.
	sum := sha256.Sum256([]byte(opt.Name + "\x00" + config.RuntimeParams["search_path"]))
	config.RuntimeParams["application_name"] = "grantgraph " + opt.Name
	// A machine that vanished without a word lets go after half a minute.
	config.RuntimeParams["tcp_keepalives_idle"] = "10"
	config.RuntimeParams["tcp_keepalives_interval"] = "5"
	config.RuntimeParams["tcp_keepalives_count"] = "4"
	config.RuntimeParams["idle_session_timeout"] = "30s"
	return &Candidate{opt: opt, config: config, key: int64(binary.BigEndian.Uint64(sum[:]))}, nil
}

// Leading says whether this server does the work.
func (c *Candidate) Leading() bool { return c.leading.Load() }

// Run competes until the context ends. While this server leads, it runs work; the context of work ends when
// the server no longer leads. If work returns earlier, Run calls it again.
func (c *Candidate) Run(ctx context.Context, work func(context.Context)) {
	tick := time.NewTicker(c.opt.Poll)
	defer tick.Stop()
	for ctx.Err() == nil {
		err := c.compete(ctx, tick.C, work)
		text := ""
		if err != nil && ctx.Err() == nil {
			text = err.Error()
		}
		if text != "" && text != c.said {
			c.opt.Log.Warn("cannot compete with the other servers for what one of them does", "work", c.opt.Name, "error", err)
		}
		c.said = text
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// compete tries for the lock until a connection is lost.
func (c *Candidate) compete(ctx context.Context, tick <-chan time.Time, work func(context.Context)) error {
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return fmt.Errorf("connecting to the database: %w", err)
	}
	defer func() { // which gives the lock back
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	ask := func(text string, args ...any) (yes bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, c.opt.Patience)
		defer cancel()
		err = conn.QueryRow(ctx, text, args...).Scan(&yes)
		return yes, err
	}
	for {
		got, err := ask("SELECT pg_try_advisory_lock($1)", c.key)
		if err != nil {
			return fmt.Errorf("asking for the lock: %w", err)
		}
		if got {
			c.opt.Log.Info("this server is the one", "work", c.opt.Name)
			err := c.lead(ctx, tick, ask, work)
			c.opt.Log.Info("this server is no longer the one", "work", c.opt.Name)
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
}

// lead works for as long as the lock is held, and returns when the work has ended.
func (c *Candidate) lead(ctx context.Context, tick <-chan time.Time, ask func(string, ...any) (bool, error), work func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	c.leading.Store(true)
	go func() {
		defer close(ended)
		again := time.NewTicker(c.opt.Poll)
		defer again.Stop()
		for ctx.Err() == nil {
			work(ctx)
			select {
			case <-ctx.Done():
			case <-again.C:
			}
		}
	}()
	defer func() {
		cancel()
		<-ended
		c.leading.Store(false)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
			if _, err := ask("SELECT true"); err != nil {
				return fmt.Errorf("the connection that held the lock is lost: %w", err)
			}
		}
	}
}
