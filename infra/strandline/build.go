//go:build infra

package strandline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Functions are the Lambda functions, by the names of their folders.
var Functions = []string{"scheduler", "worker", "reconciler", "recorder", "relay"}

const module = "github.com/strandline-dev/strandline"

// Build compiles the functions into folders below into, for an architecture
// ([ARM64] or [X8664]). Two builds of the same sources with the same Go give the
// same bytes, wherever they are made; so a deployment without a change is none.
// It runs `go build` in the working directory, whose module is this one or
// requires it.
func Build(ctx context.Context, into, architecture string) error {
	goarch := map[string]string{ARM64: "arm64", X8664: "amd64"}[architecture]
	if goarch == "" {
		return fmt.Errorf("build the functions: architecture is %q: expected %s or %s", architecture, ARM64, X8664)
	}
	for _, name := range Functions {
		out := filepath.Join(into, name, "bootstrap")
		cmd := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
			"-ldflags=-s -w -buildid=", "-o", out, module+"/functions/"+name+"/bootstrap")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch, "GOFLAGS=", "GOARM64=v8.0", "GOAMD64=v1")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build the function %s: %w: %s", name, err, firstLine(said.String()))
		}
		// A umask may have taken away what Lambda needs.
		if err := os.Chmod(out, 0o755); err != nil {
			return fmt.Errorf("build the function %s: %w", name, err)
		}
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
