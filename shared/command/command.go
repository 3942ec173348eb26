package command

import "fmt"

// Schema is the version of the message's format. A message with another one is
// rejected, whatever else it holds.
const Schema = 1

// MaxBody bounds a message's bytes. Commands in use stay below 1 KB; the
// longest ids and texts of nothing but escaped characters stay below this.
const MaxBody = 4 << 10

// MaxText bounds Run and Reason, in bytes.
const MaxText = 256

// Received is a message as a queue delivers it.
type Received struct {
	MessageID string
	Body      string
	// Receipt is the right to hide or acknowledge this delivery.
	Receipt string
	// Receives counts the deliveries so far, this one included.
	Receives int
}

// Rejected says why a message cannot be a command: which field, what it holds
// and what is expected. The values of ids and texts are left out.
type Rejected struct{ Reason string }

func (e *Rejected) Error() string { return "command rejected: " + e.Reason }

func rejected(format string, args ...any) error {
	return &Rejected{Reason: fmt.Sprintf(format, args...)}
}
