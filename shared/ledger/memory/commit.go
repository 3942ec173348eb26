package memory

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Commit writes an accepted change with all its effects, or nothing.
// upload.ErrChanged if the stored record is not the one it was decided from;
// then the first effect that cannot happen says why.
func (s *Store) Commit(ctx context.Context, c upload.Change) error {
	if c.Nothing() {
		return nil
	}
	if err := s.commit(ctx, c); err != nil {
		return fmt.Errorf("%s upload %s: %w", c.Event, c.After.Upload, err)
	}
	return nil
}

func (s *Store) commit(ctx context.Context, c upload.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := ledger.CheckChange(c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stored := s.records[c.After.ID]
	if stored.Version != c.Before.Version {
		return upload.ErrChanged
	}
	applies := make([]func(), 0, len(c.Effects))
	for _, e := range c.Effects {
		apply, err := s.prepare(e, c)
		if err != nil {
			return err
		}
		applies = append(applies, apply)
	}
	for _, apply := range applies {
		apply()
	}
	s.records[c.After.ID] = ledger.Copy(c.After)
	s.due.move(c.After.ID, stored.DueAt, c.After.DueAt)
	return nil
}

// prepare checks that an effect can happen and returns what makes it happen.
func (s *Store) prepare(e upload.Effect, c upload.Change) (func(), error) {
	switch e := e.(type) {
	case upload.TakeQuota:
		o := owner{e.Tenant, e.Owner}
		if s.quota[o] >= e.Limit {
			return nil, upload.ErrQuota
		}
		return func() { s.quota[o]++ }, nil
	case upload.GiveQuota:
		o := owner{e.Tenant, e.Owner}
		if s.quota[o] < 1 {
			return nil, fmt.Errorf("%w: no place of the quota is taken", upload.ErrRefused)
		}
		return func() { s.quota[o]-- }, nil
	case upload.TakeHash, upload.FreeHash:
		return s.prepareHash(e)
	case upload.TakeKey:
		k := owned{owner{e.Tenant, e.Owner}, e.Key}
		if used, ok := s.keys[k]; ok && (used.Expires.IsZero() || used.Expires.After(c.After.LastActivityAt)) {
			return nil, upload.ErrKeyReused
		}
		return func() {
			s.keys[k] = ledger.KeyUse{Upload: e.Upload, RequestDigest: e.RequestDigest, Expires: e.Expires}
		}, nil
	}
	return s.prepareReference(e)
}

func (s *Store) prepareHash(e upload.Effect) (func(), error) {
	switch e := e.(type) {
	case upload.TakeHash:
		h := owned{owner{e.Tenant, e.Owner}, e.Hash}
		if live, taken := s.hashes[h]; taken {
			return nil, &ledger.Duplicate{Live: upload.ID{Tenant: e.Tenant, Upload: live}}
		}
		return func() { s.hashes[h] = e.Upload }, nil
	case upload.FreeHash:
		h := owned{owner{e.Tenant, e.Owner}, e.Hash}
		if s.hashes[h] != e.Upload {
			return nil, fmt.Errorf("%w: the content hash is not this upload's", upload.ErrRefused)
		}
		return func() { delete(s.hashes, h) }, nil
	}
	return nil, fmt.Errorf("%w: effect %T is unknown", upload.ErrRefused, e)
}

func (s *Store) prepareReference(e upload.Effect) (func(), error) {
	switch e := e.(type) {
	case upload.PutReference:
		u := use{e.ID, e.Reference}
		switch s.uses[u].state {
		case ledger.ReferenceLive:
			return nil, upload.ErrReferenceLive
		case ledger.ReferenceDropped:
			return nil, upload.ErrReferenceUsed
		}
		return func() { s.uses[u] = used{ledger.ReferenceLive, e.At} }, nil
	case upload.BuryReference:
		u := use{e.ID, e.Reference}
		if s.uses[u].state != ledger.ReferenceLive {
			return nil, upload.ErrReferenceUsed
		}
		return func() { s.uses[u] = used{ledger.ReferenceDropped, s.uses[u].added} }, nil
	}
	return nil, fmt.Errorf("%w: effect %T is unknown", upload.ErrRefused, e)
}
