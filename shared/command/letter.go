package command

import "time"

// Letter is a dead letter: a message that was given up, as the queue of dead
// letters delivers it. Its Received is the letter's own: a look at it counts as
// a delivery.
type Letter struct {
	Received
	// Reason is why it was given up, in the words of whoever gave it up; fit for
	// a terminal. Empty where nobody has said one.
	Reason string
	// Source is the source of a release that was parked; empty of anything else,
	// and where it is not known.
	Source string
	// Moved: the queue gave it up by itself, since it was delivered too often.
	Moved bool
	// OriginalID and Deliveries are those of the message that was given up;
	// empty and 0 where they are not known.
	OriginalID string
	Deliveries int
	// SentAt is when it was sent; of one that the queue moved, when the message
	// was. The zero instant where it is not known.
	SentAt time.Time
}
