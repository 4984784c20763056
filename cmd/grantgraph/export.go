package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/downloads"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/remote"
	"grantgraph/internal/terminal"
)

type exportCmd struct {
	Out string `help:"Folder to write; must be new or empty." placeholder:"DIR" xor:"where" required:""`
	To  string `placeholder:"STORE" xor:"where" required:""`
	// Downloads is the store whose servers offer the files.
	Downloads string        `placeholder:"STORE" xor:"where" required:""`
	Keep      int           `help:"With --downloads: how many releases stay in the store." default:"3" placeholder:"N"`
	Data      string        `help:"Data directory with the snapshot." default:"data" placeholder:"DIR"`
	Open      bool          `help:"Leave out the tables of the Pro plan."`
	Header    []secret.Text `name:"store-header" help:"Header of server-side encryption to send with every object." placeholder:"NAME:VALUE"`
}

func (c *exportCmd) Run(a *terminal.App) error {
	s, release, err := snapshot.OpenHeld(c.Data)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case c.To != "":
		return c.send(a, s)
	case c.Downloads != "":
		return c.release(a, s)
	}
	return c.write(a, s, c.Out, c.Out, warehouse.Location{}, func() error { return nil })
}

func (c *exportCmd) write(a *terminal.App, s *snapshot.Snapshot, dir, shown string, at warehouse.Location, then func() error) error {
	t := terminal.NewTable("table", ">rows", "files")
	e, err := warehouse.Export(a.Ctx, s, dir, warehouse.ExportOptions{Open: c.Open, Location: at,
		Done: func(x warehouse.ExportedTable) { t.Add(x.Name, terminal.Count(x.Rows), x.Files) }})
	if err == nil {
		err = then()
	}
	if err != nil {
		return err
	}
	t.Print(a.Out)
	fmt.Fprintf(a.Out, "\nSnapshot %s: %d tables in %s\n", e.Version, len(e.Tables), shown)
	return nil
}

func (c *exportCmd) send(a *terminal.App, s *snapshot.Snapshot) error {
	store, err := remote.Open(c.To, remote.Options{Headers: c.Header})
	if err != nil {
		return err
	}
	prefix := "exports/" + s.Manifest.Version
	if c.Open {
		prefix += "-open"
	}
	at := warehouse.Location{URI: store.String() + "/" + prefix}
	if web := remote.Web(store); web != "" {
		at.Web = web + "/" + prefix
	} else {
		at.URI = "file://" + filepath.ToSlash(at.URI)
	}
	switch _, err := store.Head(a.Ctx, prefix+"/"+warehouse.ExportName); {
	case err == nil:
		return fault.New("export_exists", "%s has this snapshot already, in %s", store, prefix).Try("use it; an export never writes over another")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir, err := c.folder()
	if err != nil {
		return err
	}
	defer disk.RemoveAll(dir)
	return c.write(a, s, dir, at.URI, at, func() error { return sendFolder(a.Ctx, store, dir, prefix, warehouse.ExportName) })
}

// release writes the files that people download, and adds them to the releases of a store.
func (c *exportCmd) release(a *terminal.App, s *snapshot.Snapshot) error {
	if c.Keep < 1 || c.Open {
		return fault.New("bad_flag", "--downloads keeps at least one release, with all tables").Try("--keep 3, without --open; plans decide who may download what")
	}
	store, err := remote.Open(c.Downloads, remote.Options{Headers: c.Header})
	if err != nil {
		return err
	}
	dir, err := c.folder()
	if err != nil {
		return err
	}
	defer disk.RemoveAll(dir)
	p, err := warehouse.Package(a.Ctx, s, dir)
	if err == nil {
		err = sendFolder(a.Ctx, store, dir, downloads.Folder(p.Version), warehouse.PackageName)
	}
	if err == nil {
		err = downloads.Publish(a.Ctx, store, p, c.Keep)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Release %s: %s files in %s\n", p.Version, terminal.Count(len(p.Resources)), store)
	return nil
}

// folder is a new folder for an export on its way to a store.
func (c *exportCmd) folder() (string, error) {
	removeOldExports(c.Data)
	dir, err := os.MkdirTemp(c.Data, exportMark)
	return dir, fault.Disk(c.Data, err)
}

// exportMark begins the names of folders on their way to a store.
const exportMark = ".export-"

// removeOldExports removes the folders of exports that were killed. It leaves folders
// younger than a day, whose export may still be running.
func removeOldExports(data string) {
	left, _ := filepath.Glob(filepath.Join(data, exportMark+"*")) // a data folder with brackets in its name has them stay
	for _, old := range left {
		if st, err := os.Stat(old); err == nil && time.Since(st.ModTime()) > 24*time.Hour {
			_ = disk.RemoveAll(old)
		}
	}
}

// sendFolder stores the files of a folder, one of them after all others.
func sendFolder(ctx context.Context, store remote.Store, dir, prefix, last string) error {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return fault.Disk(dir, err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == last })
	send := func(ctx context.Context, file string) error {
		path := filepath.Join(dir, filepath.FromSlash(file))
		f, err := os.Open(path)
		if err != nil {
			return fault.Disk(path, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return fault.Disk(path, err)
		}
		return store.Put(ctx, prefix+"/"+file, f, info.Size())
	}
	const together = 6
	if err := parallel.Each(ctx, together, len(files), func(ctx context.Context, i int) error { return send(ctx, files[i]) }); err != nil {
		return err
	}
	return send(ctx, last)
}
