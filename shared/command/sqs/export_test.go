package sqs

import (
	"context"
	"time"
)

// SetSleep lets a test see the pauses, and not wait for them.
func (q *Queue) SetSleep(sleep func(context.Context, time.Duration) error) { q.sleep = sleep }
