// Package quarantine is what only a person does with a hold: approve it, or
// restore what was approved. It runs in the operator's command with the
// operator's rights; no function links it, because it is the one place that
// asks for delete markers.
//
// An approval asks again everything that the hold was opened on, and refuses
// when anything differs or cannot be read. It then adopts that one version as
// a cancelled record, due after QuarantineFor, and hides it where hiding is
// safe. Every write can be repeated: an approval, or a restore, that broke off
// is completed by giving it again.
package quarantine
