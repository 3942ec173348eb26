//go:build infra

package strandline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
)

var (
	bucketNames        = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	scheduleNames      = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)
	expressions        = regexp.MustCompile(`^(rate\([1-9]\d* (minute|minutes|hour|hours|day|days)\)|cron\([^()]+\)|at\([^()]+\))$`)
	mails              = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
	folders            = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
	origins            = regexp.MustCompile(`^https?://[^/*\s]*\*?[^/*\s]+$`)
	accounts           = regexp.MustCompile(`^\d{12}$`)
	knownArchitectures = []string{ARM64, X8664}
)

// reserved are the names of the schedules that are there in any case.
var reserved = []string{"census", "reconcile", "sweep"}

// Validate reports the first thing about the props that makes no sense, as one
// line.
func (p Props) Validate() error {
	p = p.withDefaults()
	return cmp.Or(
		p.Policy.Validate(), p.checkNames(), p.checkBuckets(), p.checkInventory(), p.checkSources(), p.checkRelations(),
		p.checkSchedules(), p.checkFunctions(), p.checkCode(),
	)
}

func (p Props) checkNames() error {
	if _, err := p.describe(); err != nil {
		return err
	}
	if p.Mail != "" && !mails.MatchString(p.Mail) {
		return fmt.Errorf("mail is %q: expected an address such as ops@example.com", p.Mail)
	}
	if p.Mail != "" && p.Topic != nil {
		return errors.New("both a mail and a topic are given: subscribe the mail to the topic yourself, or leave one out")
	}
	return nil
}

func (p Props) checkBuckets() error {
	if len(p.Buckets) == 0 {
		return errors.New("no bucket is given: name at least one that uploads go to")
	}
	var seen []string
	for i, b := range p.Buckets {
		if b.Construct != nil {
			if err := checkConstruct(i, b); err != nil {
				return err
			}
			continue
		}
		switch {
		case !bucketNames.MatchString(b.Name):
			return fmt.Errorf("bucket %d is named %q: expected 3 to 63 lower-case letters, digits, hyphens and dots", i+1, b.Name)
		case slices.Contains(seen, b.Name):
			return fmt.Errorf("bucket %s is given twice", b.Name)
		case b.ObjectLock && !b.New:
			return fmt.Errorf("bucket %s exists: object lock is chosen when a bucket is created", b.Name)
		case b.Name == p.Inventory.Bucket:
			return fmt.Errorf("bucket %s is the inventories' own: deliver them into another", b.Name)
		}
		seen = append(seen, b.Name)
	}
	return p.checkOrigins()
}

func (p Props) checkOrigins() error {
	for _, o := range p.Origins {
		if !origins.MatchString(o) {
			return fmt.Errorf("origin is %q: expected scheme and host, such as https://app.example.com, with at most one star", o)
		}
	}
	if len(p.Origins) > 0 && !slices.ContainsFunc(p.Buckets, func(b Bucket) bool { return b.New }) {
		return errors.New("origins are given and no bucket is new: those that exist have rules of their own (docs/uploads.md)")
	}
	return nil
}

// checkConstruct refuses a bucket in which a version id means nothing. Of one
// that another stack made nothing can be seen; the worker looks.
func checkConstruct(i int, b Bucket) error {
	if b.Name != "" || b.New || b.ObjectLock {
		return fmt.Errorf("bucket %d is a construct: it has its own name and settings, leave ours out", i+1)
	}
	made, ok := b.Construct.Node().DefaultChild().(awss3.CfnBucket)
	if !ok {
		return nil
	}
	if made.VersioningConfiguration() == nil {
		return fmt.Errorf("bucket %d (%s) is not versioned: only exact versions are ever deleted", i+1, *b.Construct.Node().Path())
	}
	return nil
}

func (p Props) checkInventory() error {
	in := p.Inventory
	switch {
	case in.Bucket != "" && !bucketNames.MatchString(in.Bucket):
		return fmt.Errorf("inventory bucket is %q: expected a bucket's name", in.Bucket)
	case in.Account != "" && in.Bucket == "":
		return errors.New("the inventory's account is given and its bucket is not: one in another account must exist")
	case in.Account != "" && !accounts.MatchString(in.Account):
		return fmt.Errorf("inventory account is %q: expected 12 digits", in.Account)
	case !regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`).MatchString(in.Config):
		return fmt.Errorf(`inventory configuration is %q: expected 1 to 64 letters, digits, ".", "_" or "-"`, in.Config)
	case !folders.MatchString(in.Prefix):
		return fmt.Errorf("inventory prefix is %q: expected names with single slashes between", in.Prefix)
	}
	return nil
}

// checkRelations asserts what must agree between the policy, the queue and the
// event source.
func (p Props) checkRelations() error {
	own := p.Policy
	switch need := 6*own.WorkerTimeout + p.Window; {
	case own.VisibilityTimeout < need:
		return fmt.Errorf("the queue hides a message for %v: expected at least %v, 6 × the worker's timeout of %v and the window of %v",
			own.VisibilityTimeout, need, own.WorkerTimeout, p.Window)
	case own.MaxAttempts*receivesPerAttempt > schema.MaxReceives:
		return fmt.Errorf("a purge is tried %d times and the queue gives a message up after %d receives: expected at most %d tries, since waits and throttles are receives too",
			own.MaxAttempts, schema.MaxReceives, schema.MaxReceives/receivesPerAttempt)
	case own.ClaimLease > own.RepublishAfter/2:
		return fmt.Errorf("a claim lasts %v and is published again after %v: expected at least twice the claim", own.ClaimLease, own.RepublishAfter)
	case schema.MessageRetention < 2*own.RepublishAfter:
		return fmt.Errorf("a message is kept for %v and published again after %v: expected at most half", schema.MessageRetention, own.RepublishAfter)
	}
	if least := wholeDays(p.Policy.LongestWait()) + 1; p.NoncurrentDays != -1 && p.NoncurrentDays < least {
		return fmt.Errorf("noncurrent versions expire after %d days: expected at least %d, later than every grace, or -1 for never",
			p.NoncurrentDays, least)
	}
	return nil
}

// receivesPerAttempt is how many receives that are no attempts (a closed gate,
// a throttle, another's claim) each attempt may cost before the queue may give
// a message up.
const receivesPerAttempt = 20

func (p Props) checkSchedules() error {
	names := slices.Clone(reserved)
	for _, pass := range p.Passes {
		switch {
		case !scheduleNames.MatchString(pass.Name):
			return fmt.Errorf(`schedule is named %q: expected 1 to 32 letters, digits, ".", "_" or "-"`, pass.Name)
		case slices.Contains(names, pass.Name):
			return fmt.Errorf("schedule %s is given twice, or is one of ours", pass.Name)
		}
		names = append(names, pass.Name)
	}
	for _, s := range append(slices.Clone(p.Passes), Schedule{"census", p.Census, ""}, Schedule{"reconcile", p.Reconcile, ""}, Schedule{"sweep", p.Sweep, ""}) {
		if !expressions.MatchString(s.Expression) {
			return fmt.Errorf("schedule %s is %q: expected rate(15 minutes) or cron(0/15 1-5 * * ? *)", s.Name, s.Expression)
		}
	}
	switch {
	case p.Policy.PassEvery%time.Minute != 0:
		return fmt.Errorf("a pass runs every %v: expected whole minutes", p.Policy.PassEvery)
	case len(p.Passes) == 0:
		return errors.New("no pass is scheduled: nothing would ever be cleaned up")
	case p.Flexible < time.Minute || p.Flexible > day || p.Flexible%time.Minute != 0:
		return fmt.Errorf("a schedule's window is %v: expected 1m to 24h, in whole minutes", p.Flexible)
	case p.PassOverdue < 5*time.Minute || p.PassOverdue > day || p.PassOverdue%(5*time.Minute) != 0:
		return fmt.Errorf("a pass is overdue after %v: expected 5m to 24h, in steps of 5m", p.PassOverdue)
	}
	return nil
}

func (p Props) checkFunctions() error {
	timeout := p.Policy.WorkerTimeout
	switch {
	case timeout < 4*time.Second || timeout > 15*time.Minute || timeout%time.Second != 0:
		return fmt.Errorf("the worker's timeout is %v: expected 4s to 15m, in whole seconds", timeout)
	case p.Policy.VisibilityTimeout%time.Second != 0:
		return fmt.Errorf("the queue hides a message for %v: expected whole seconds", p.Policy.VisibilityTimeout)
	case p.Workers < 2 || p.Workers > 1000:
		return fmt.Errorf("%d workers at once: expected 2 to 1000", p.Workers)
	case p.Batch < 1 || p.Batch > 10_000:
		return fmt.Errorf("a worker takes %d messages: expected 1 to 10000", p.Batch)
	case p.Window < 0 || p.Window > 5*time.Minute || p.Window%time.Second != 0:
		return fmt.Errorf("a batch is gathered for %v: expected 0s to 5m, in whole seconds", p.Window)
	case p.Batch > 10 && p.Window < time.Second:
		return fmt.Errorf("a worker takes %d messages: expected a window of at least 1s for more than 10", p.Batch)
	case p.ReconcilerMemory < 1769 || p.ReconcilerMemory > 10240:
		return fmt.Errorf("the reconciler has %d MB: expected 1769 to 10240", p.ReconcilerMemory)
	case p.ReconcilerDisk < 512 || p.ReconcilerDisk > 10240:
		return fmt.Errorf("the reconciler's disk has %d MB: expected 512 to 10240", p.ReconcilerDisk)
	case logDays[p.LogDays] == "":
		return fmt.Errorf("logs are kept for %d days: expected a number that CloudWatch takes, such as 30, 90 or 365", p.LogDays)
	case logDays[p.AuditDays] == "":
		return fmt.Errorf("the audit trail is kept for %d days: expected a number that CloudWatch takes, such as 365, 731 or 3653", p.AuditDays)
	case !slices.Contains(knownArchitectures, p.Architecture):
		return fmt.Errorf("architecture is %q: expected %s or %s", p.Architecture, ARM64, X8664)
	}
	return p.checkEnvironment()
}

// checkEnvironment keeps a variable that another prop decides from being set
// beside it: stack and function would then disagree.
func (p Props) checkEnvironment() error {
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		if name == policy.EnvPrefix+"LOG_LEVEL" || !strings.HasPrefix(name, policy.EnvPrefix) {
			continue
		}
		return fmt.Errorf("variable %s is set beside the props: set the policy or the prop instead", name)
	}
	return nil
}

// checkCode looks for the binaries, and that Lambda can start them: the right to
// execute is no part of what the CDK compares.
func (p Props) checkCode() error {
	if p.Code == "" {
		return errors.New("no code is given: the folder that Build wrote the functions into")
	}
	for _, name := range Functions {
		file := filepath.Join(p.Code, name, "bootstrap")
		about, err := os.Stat(file)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("the code has no %s/bootstrap: build the functions first", name)
		case err != nil:
			return fmt.Errorf("look at the code of %s: %w", name, errors.Unwrap(err))
		case about.Mode().Perm()&0o111 != 0o111:
			return fmt.Errorf("the code's %s/bootstrap is not executable for all: Lambda could not start it", name)
		}
	}
	return nil
}
