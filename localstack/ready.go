package localstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const healthPoll = 20 * time.Millisecond

// awaitReady returns when the emulator that was given this name answers. It
// gives up when that one has ended, when another answers in its place, after a
// bounded time, or with ctx.
func (c *Cloud) awaitReady(ctx context.Context, r recipe, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.ready, fmt.Errorf("no answer within %s", r.ready))
	defer cancel()
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true}, // and no proxy
	}
	tick := time.NewTicker(healthPoll)
	defer tick.Stop()
	for {
		switch healthName(ctx, client, c.endpoint+r.health) {
		case name:
			return nil
		case "":
		default: // LocalStack goes on without its port, and says nothing
			return errPortTaken
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.proc.done:
			return c.endedEarly()
		case <-tick.C:
		}
	}
}

func (c *Cloud) endedEarly() error {
	if c.portTaken() {
		return errPortTaken
	}
	if c.proc.err != nil {
		return fmt.Errorf("ended before it was ready: %w", c.proc.err)
	}
	return errors.New("ended before it was ready")
}

// healthName is empty while nothing, or nothing like an emulator, answers.
func healthName(ctx context.Context, client *http.Client, url string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return ""
	}
	resp, err := client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var health struct {
		Edition string `json:"edition"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&health) != nil {
		return ""
	}
	return health.Edition
}
