//go:build infra

package strandline

func (s *Strandline) explain() {}
