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
	written, file := (*Written)(nil), (*findings.File)(nil)
	if o.Findings != "" {
		if file, err = findings.Create(o.Findings); err != nil {
			return Result{}, err
		}
		defer file.Discard()
	}
	summary, err := reconcile.Compare(ctx, in.inventory, in.manifest, options, func(f reconcile.Finding) error {
		if file == nil {
			return nil
		}
		return file.Write(&f)
	})
	if err != nil {
		return Result{}, err
	}
	if file != nil {
		if err := file.Keep(); err != nil {
			return Result{}, err
		}
		written = &Written{File: o.Findings, Lines: file.Lines()}
	}
	return Result{
		Summary: summary, Inputs: in.described(o), Findings: written,
		OrphanGrace: o.OrphanGrace, Settle: o.Settle, MaxOrphanPercent: o.MaxOrphanPercent, Took: o.Now().Sub(began),
	}, nil
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
