package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// used makes sure by LocalStack's log that the command has called both of its
// services; the log has a line such as "AWS s3.CreateBucket => 200" for a call.
func used(log string) error {
	f, err := os.Open(log)
	if err != nil {
		return fmt.Errorf("see what was used of LocalStack: %w", err)
	}
	defer f.Close()
	calls := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if _, call, ok := strings.Cut(lines.Text(), ": AWS "); ok {
			service, _, _ := strings.Cut(call, ".")
			calls[service]++
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("see what was used of LocalStack: %w", err)
	}
	for _, service := range []string{"s3", "sqs"} {
		if calls[service] == 0 {
			return fmt.Errorf("the command has not called LocalStack's %s", service)
		}
	}
	return nil
}
