package comparison

import (
	"context"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/findings"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// Run compares. On an error there is no result and no findings file.
func Run(ctx context.Context, o Options) (Result, error) {
	began := o.Now()
	options, err := o.engine()
	if err != nil {
		return Result{}, err
	}
	in, err := open(ctx, o)
	if err != nil {
		return Result{}, err
	}
	file, err := findings.Create(o.Findings)
	if err != nil {
		return Result{}, err
	}
	defer file.Discard()
	if o.Announce != nil {
		o.Announce(reconcile.Estimate(in.inventory, in.manifest).Disk)
	}
	summary, err := reconcile.Compare(ctx, in.inventory, in.manifest, options, file.Write)
	if err != nil {
		return Result{}, err
	}
	if err := file.Keep(); err != nil {
		return Result{}, err
	}
	return Result{
		Summary: summary, Inputs: in.described(o), Findings: written(file),
		OrphanGrace: o.OrphanGrace, Settle: o.Settle, MaxOrphanPercent: o.MaxOrphanPercent, Took: o.Now().Sub(began),
	}, nil
}

func written(f *findings.File) *Written {
	if f == nil {
		return nil
	}
	return &Written{File: f.Path(), Lines: f.Lines()}
}

// engine is what the engine is asked for.
func (o Options) engine() (reconcile.Options, error) {
	at, err := o.check()
	if err != nil {
		return reconcile.Options{}, err
	}
	return reconcile.Options{
		ManifestAt: at, Against: at, OrphanGrace: o.OrphanGrace, Settle: o.Settle, MaxInventoryAge: o.MaxInventoryAge,
		MaxOrphanPercent: o.MaxOrphanPercent, Prefix: o.Prefix, AllowEmpty: o.AllowEmpty, All: o.All,
		Threads: o.Threads, Memory: o.Memory, TempDir: o.TempDir, Progress: o.Progress,
	}, nil
}
