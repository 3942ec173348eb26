package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// endpoint is the base URL of a LocalStack.
type endpoint string

// used makes sure that the command spoke to both of LocalStack's services: one
// that nobody has called is "available", and not "running".
func (e endpoint) used(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(e)+"/_localstack/health", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask LocalStack what was used of it: %w", err)
	}
	defer resp.Body.Close()
	var health struct{ Services map[string]string }
	if err := json.NewDecoder(resp.Body).Decode(&health); err != nil {
		return fmt.Errorf("ask LocalStack what was used of it: %w", err)
	}
	for _, service := range []string{"s3", "sqs"} {
		if state := health.Services[service]; state != "running" {
			return fmt.Errorf("the command has not used LocalStack's %s: its state is %q", service, state)
		}
	}
	return nil
}
