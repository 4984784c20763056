package main

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/queue"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/secret"
	"grantgraph/internal/snapshot/remote"
	"grantgraph/internal/terminal"
)

type ingestCmd struct {
	Plan   ingestPlanCmd   `cmd:"" help:"List the archives and queue what is to be read."`
	Work   ingestWorkCmd   `cmd:"" help:"Read what is queued, until nothing is left; on as many machines as you like."`
	Status ingestStatusCmd `cmd:"" help:"Show how far the reading is, and what could not be read."`
}

type queueFlags struct {
	Database secret.URL `help:"PostgreSQL database with the queue." placeholder:"URL"`
}

type stageFlags struct {
	Stage  string        `help:"Where staged shards are: s3://bucket/prefix, or a folder that all machines see, which must exist." placeholder:"STORE"`
	Header []secret.Text `name:"store-header" help:"Header of server-side encryption to send with every object." placeholder:"NAME:VALUE"`
}

func (f *stageFlags) open() (*stage.Shared, error) {
	if f.Stage == "" {
		return nil, fault.New("bad_flag", "--stage is missing").Try("--stage s3://bucket/prefix, or --stage FOLDER")
	}
	store, err := remote.Open(f.Stage, remote.Options{Headers: f.Header})
	if err != nil {
		return nil, err
	}
	return stage.OpenShared(store), nil
}

func (f *queueFlags) open(a *terminal.App, conns int) (*queue.Queue, error) {
	if f.Database.Empty() {
		return nil, fault.New("bad_flag", "--database is missing").Try("--database postgres://user:password@host:5432/name")
	}
	return queue.Open(a.Ctx, f.Database, conns)
}

type ingestPlanCmd struct {
	queueFlags
	stageFlags
	Sources string `default:"sources" placeholder:"DIR"`
	Workers int    `help:"Archives listed at a time; 0 is one per core." default:"0" placeholder:"N"`
	Size    int64  `name:"shard-bytes" default:"33554432" placeholder:"N"`
	Prune   bool   `help:"Remove staged shards that the new plan does not use."`
	JSON    bool   `name:"json" help:"Print JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

func (c *ingestPlanCmd) Run(a *terminal.App) error {
	const least, most = 64 << 10, 1 << 30
	if c.Workers < 0 || c.Size < least || c.Size > most {
		return fault.New("bad_flag", "--workers must not be negative, and --shard-bytes %d to %d", least, most).Try("grantgraph ingest plan --help")
	}
	stage, err := c.stageFlags.open()
	if err != nil {
		return err
	}
	q, err := c.queueFlags.open(a, 4)
	if err != nil {
		return err
	}
	defer q.Close()
	bar := a.Phase("hash", 0, c.Quiet || c.JSON)
	p, err := q.Plan(a.Ctx, queue.PlanOptions{
		Sources: c.Sources, Stage: stage, Workers: c.Workers, ShardBytes: c.Size, Prune: c.Prune,
		Progress: func(done, _ int64) { bar.Set(done) },
	})
	if err != nil {
		return a.ResumeWith(err, "run the same command again; the plan before this one still counts")
	}
	bar.End("%s archives", terminal.Count(p.Archives))
	return show(a, c.JSON, "ingest_plan", p)
}

type ingestWorkCmd struct {
	queueFlags
	stageFlags
	Sources string        `help:"Where the archives are on this machine, if not where they were planned." placeholder:"DIR"`
	Scratch string        `help:"Folder for shards that are being made; by default that of the system for temporary files." placeholder:"DIR"`
	Workers int           `help:"Shards made at a time; 0 is one per core." default:"0" placeholder:"N"`
	Lease   time.Duration `help:"After how long without a sign of life the work of this worker is given to others." default:"15s" placeholder:"TIME"`
	Patient time.Duration `name:"patience" help:"For how long to try again when the store, the disk or the database fails." default:"5m" placeholder:"TIME"`
	Stay    bool          `help:"Wait for the next plan when everything is done, instead of ending."`
	JSON    bool          `name:"json" help:"Print JSON."`
	Quiet   bool          `short:"q" help:"No progress."`
}

func (c *ingestWorkCmd) Run(a *terminal.App) error {
	const most = 256
	if c.Workers < 0 || c.Workers > most || c.Lease < time.Second || c.Lease > time.Hour || c.Patient < 0 {
		return fault.New("bad_flag", "--workers must be 0 to %d, --lease 1s to 1h, and --patience not negative", most).Try("grantgraph ingest work --help")
	}
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	stage, err := c.stageFlags.open()
	if err != nil {
		return err
	}
	// One connection for each shard that is finished, and a few to listen, to fetch and to say that the worker lives.
	q, err := c.queueFlags.open(a, c.Workers+6)
	if err != nil {
		return err
	}
	defer q.Close()
	bars := terminal.NewPhases(a, c.Quiet || c.JSON)
	w, err := q.Work(a.Ctx, queue.WorkOptions{
		Stage: stage, Sources: c.Sources, Scratch: c.Scratch, Slots: c.Workers, Lease: c.Lease, Patient: c.Patient, Stay: c.Stay,
		Progress: func(done, total int64) { bars.Progress("stage", done, total) }, Note: bars.Note})
	bars.Close()
	if err != nil {
		return a.ResumeWith(err, "run the same command again; what is staged is kept, and other workers go on")
	}
	if c.JSON {
		return a.PrintJSON(w)
	}
	fmt.Fprintf(a.Out, "Worker %s: %s shards staged, %s returns, %s of XML in %s (%s/s)\n",
		w.Worker, terminal.Count(w.Staged), terminal.Count(w.Returns), terminal.Bytes(w.Bytes),
		time.Duration(w.Seconds*float64(time.Second)).Round(10*time.Millisecond), terminal.Bytes(int64(float64(w.Bytes)/max(w.Seconds, 0.001))))
	if w.Quarantined > 0 {
		fmt.Fprintf(a.Out, "%s shards could not be read and are in quarantine: grantgraph ingest status\n", terminal.Count(w.Quarantined))
	}
	return nil
}

type ingestStatusCmd struct {
	queueFlags
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *ingestStatusCmd) Run(a *terminal.App) error {
	q, err := c.queueFlags.open(a, 2)
	if err != nil {
		return err
	}
	defer q.Close()
	s, err := q.Status(a.Ctx)
	if err != nil {
		return err
	}
	return show(a, c.JSON, "ingest_status", s)
}
