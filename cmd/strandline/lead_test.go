package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/upload"
)

// answering points the command at a cloud that answers every call with one
// refusal, as DynamoDB and SQS write theirs.
func answering(t *testing.T, status int, code string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"their words"}`, code)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
}

// signed gives credentials of nobody, and no other place to look.
func signed(t *testing.T) {
	t.Helper()
	nowhereNear(t)
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("STRANDLINE_TABLE", "strandline-ledger")
	t.Setenv("STRANDLINE_QUEUE_URL", "http://127.0.0.1/000000000000/strandline-purge")
	t.Setenv("STRANDLINE_DEAD_LETTER_URL", "http://127.0.0.1/000000000000/strandline-purge-dead")
}

func TestWhatAServiceRefusesIsOneLineThatSaysWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		args   []string
		says   string
	}{
		"no such table":                {400, "ResourceNotFoundException", []string{"mode"}, "look at --table or STRANDLINE_TABLE, at --region"},
		"no such table, when stopping": {400, "ResourceNotFoundException", []string{"pause"}, "look at --table or STRANDLINE_TABLE, at --region"},
		"no such queue":                {400, "QueueDoesNotExist", []string{"dlq", "list"}, "look at the queues' URLs (--queue-url, --dead-letter-url)"},
		"a right is missing":           {400, "AccessDeniedException", []string{"census", "show"}, `"strandline doctor" says which right is missing`},
		"the session is over":          {400, "ExpiredTokenException", []string{"runs", "list"}, "sign in again"},
		"credentials of nobody":        {400, "UnrecognizedClientException", []string{"stuck", "list"}, "sign in again"},
	} {
		t.Run(name, func(t *testing.T) {
			signed(t)
			answering(t, c.status, c.code)
			got := runLine(t.Context(), c.args...)
			if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, c.says) {
				t.Errorf("exit %d, says %q; expected one line with %q", got.code, got.errs, c.says)
			}
		})
	}
}

func TestAnEndpointWhereNobodyListensIsNamedAsTheLikelyFault(t *testing.T) {
	signed(t)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	got := runLine(t.Context(), "mode", "--endpoint", server.URL)
	if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, "look at --region, and at --endpoint or AWS_ENDPOINT_URL") {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}

func TestAnEndpointThatIsNoURLIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	signed(t)
	for _, args := range [][]string{{"mode"}, {"pause"}, {"doctor"}, {"inventory", "write", "--bucket", "b", "--out", t.TempDir()}} {
		got := runLine(t.Context(), append(args, "--endpoint", "127.0.0.1:4566")...)
		if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, `is "127.0.0.1:4566": it begins with http:// or https://`) {
			t.Errorf("%v: exit %d, says %q", args, got.code, got.errs)
		}
	}
}

// A command that is added is of it too.
func TestEveryCommandSaysOfAnArgumentTooManyWhereTheRightOnesAre(t *testing.T) {
	nowhereNear(t)
	for path, cmd := range leaves(dressed()) {
		if strings.HasPrefix(path, "strandline completion") || strings.HasPrefix(path, "completion") || cmd.Name() == "help" {
			continue // cobra's
		}
		given := append(strings.Fields(path), "a", "b", "c", "d")
		got := runLine(t.Context(), given...)
		if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || strings.Contains(got.errs, "unknown command") {
			t.Errorf("%s: exit %d, says %q", strings.Join(given, " "), got.code, got.errs)
		}
	}
}

func TestAnErrorOfTheCommandsOwnIsLeftAsItIs(t *testing.T) {
	for _, err := range []error{errors.New("plain"), fmt.Errorf("%w: the plan is over", upload.ErrRefused), upload.ErrDenied} {
		if more := lead(err); more != "" {
			t.Errorf("%v: adds %q", err, more)
		}
	}
}

func TestAFlagOrCommandThatThereIsNotLeadsToTheHelp(t *testing.T) {
	for line, says := range map[string]string{
		"plan --nope":           `"strandline plan --help" shows what there is`,
		"runs list --since 7d":  `"strandline runs list --help" shows what there is`,
		"dlq redrive --most 10": `"strandline dlq redrive --help" shows what there is`,
		"bogus":                 `"strandline --help" shows what there is`,
		"runs bogus":            `unknown command "bogus" for "strandline runs"; "strandline runs --help" shows what there is`,
		"pause now":             `strandline pause takes no argument; "strandline pause --help" shows what there is`,
		"mode delete now":       `"strandline mode --help" shows what there is`,
		"rate set":              "strandline rate set 50", // its own words
	} {
		got := runLine(t.Context(), strings.Fields(line)...)
		if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, says) {
			t.Errorf("%s: exit %d, says %q; expected %q", line, got.code, got.errs, says)
		}
	}
}

func TestAWordThatACommandDoesNotKnowIsOneLineAndExitsWithTwo(t *testing.T) {
	nowhereNear(t)
	for line, says := range map[string]string{
		"mode delete --rate x":            `--rate is "x": expected a whole number; "strandline mode --help" shows what there is`,
		"reconcile --threads 2x":          `--threads is "2x": expected a whole number; `,
		"reconcile --orphan-grace 7d":     `--orphan-grace is "7d": expected a duration in hours, minutes or seconds, such as "168h" or "90m"; `,
		"reconcile --all=maybe":           `--all is "maybe": expected true or false; `,
		"reconcile --memory 5x":           "expected a whole number with a unit, such as 96MB or 1GiB; ",
		"help bogus":                      `unknown command "bogus"; "strandline --help" shows what there is`,
		"help holds bogus":                `unknown command "holds bogus"; `,
		"completion tcsh":                 `unknown command "tcsh" for "strandline completion"; "strandline completion --help" shows what there is`,
		"holds bogus":                     `unknown command "bogus" for "strandline holds"; `,
		"holds list --bucket b --nothing": "unknown flag: --nothing; ",
	} {
		got := runLine(t.Context(), strings.Fields(line)...)
		if got.code != exitFailed || got.out != "" || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, says) {
			t.Errorf("%s: exit %d, prints %q, says %q", line, got.code, got.out, got.errs)
		}
	}
	for _, line := range []string{"help", "help holds", "help holds list", "completion", "completion bash"} {
		if got := runLine(t.Context(), strings.Fields(line)...); got.code != exitOK || got.errs != "" || got.out == "" {
			t.Errorf("%s: exit %d, says %q", line, got.code, got.errs)
		}
	}
}
