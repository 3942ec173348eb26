package checkup

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func (j *judge) bucket(b Bucket) {
	missing := "look at the bucket's name (--bucket); what the ledger owns in a bucket that is gone is gone too"
	if o := j.on(CheckVersioning, "bucket %s", b.Name); seen(o, b.Versioning, "s3:GetBucketVersioning", missing) {
		j.versioning(o, b)
		j.mfaDelete(b)
	} else {
		j.on(CheckMFADelete, "bucket %s", b.Name).add(Unchecked, "versioning was not seen", "see the versioning check")
	}
	if o := j.on(CheckLock, "bucket %s", b.Name); seen(o, b.Lock, "s3:GetBucketObjectLockConfiguration", missing) {
		lock(o, b.Lock.Got)
	}
	if o := j.on(CheckLifecycle, "bucket %s", b.Name); seen(o, b.Rules, "s3:GetLifecycleConfiguration", missing) {
		j.lifecycle(o, b)
	}
}

func (j *judge) versioning(o on, b Bucket) {
	v := b.Versioning.Got
	switch {
	case v.Region != "" && v.Region != j.facts.Region:
		o.wrong("give --region "+v.Region+", or take the bucket out: an installation works in one region", "it is in %s, not in %s", v.Region, j.facts.Region)
	case v.Status != "Enabled":
		o.wrong("aws s3api put-bucket-versioning --bucket "+b.Name+" --versioning-configuration Status=Enabled",
			"versioning is %s: the worker deletes nothing there", orNone(strings.ToLower(v.Status)))
	default:
		o.ok("enabled")
	}
}

func (j *judge) mfaDelete(b Bucket) {
	o := j.on(CheckMFADelete, "bucket %s", b.Name)
	if b.Versioning.Got.MFADelete {
		o.wrong(fmt.Sprintf(`aws s3api put-bucket-versioning --bucket %s --versioning-configuration Status=Enabled,MFADelete=Disabled --mfa "SERIAL CODE", as the account's root`, b.Name),
			"it is on: no function can delete a version")
		return
	}
	o.ok("off")
}

func lock(o on, l Lock) {
	switch {
	case !l.Enabled:
		o.ok("off")
	case l.Retention == 0:
		o.ok("on, without a default retention: what is locked is retained until its date")
	default:
		o.note("every version is locked for %s in %s mode: what is stranded stays that long, and is deleted then", daysOf(l.Retention), strings.ToLower(l.Mode))
	}
}

// lifecycle judges the rules that touch what the ledger owns. A rule knows
// nothing of the ledger, whatever its tags or sizes narrow it to.
func (j *judge) lifecycle(o on, b Bucket) {
	before, aborts := len(j.all), false
	for _, r := range b.Rules.Got {
		if !r.Enabled || !overlap(r.Prefix, b.Prefix) {
			continue
		}
		aborts = aborts || r.AbortDays > 0
		j.rule(o, r)
	}
	if len(j.all) > before {
		return
	}
	if !aborts {
		o.note("no rule aborts unfinished multipart uploads: nothing clears those whose hold nobody decides (docs/deploy.md, Backstops)")
		return
	}
	o.ok("%d rules, none before its time", len(b.Rules.Got))
}

func (j *judge) rule(o on, r Rule) {
	named := "rule " + strconv.Quote(r.ID)
	if r.CurrentDays > 0 || r.OnDate {
		when := "on a date"
		if r.CurrentDays > 0 {
			when = "after " + daysOf(time.Duration(r.CurrentDays)*day)
		}
		o.wrong("take Expiration out of the rule, or narrow it to another prefix: the ledger decides what goes",
			"%s expires current objects %s: it hides what is live", named, when)
	}
	if least := wholeDays(j.policy.LongestWait()); r.NoncurrentDays > 0 && r.NoncurrentDays < least {
		o.wrong(fmt.Sprintf("set its NoncurrentDays to more than %d, or take it out", least),
			"%s deletes noncurrent versions after %s, earlier than the graces (%s): what a delete marker hides is gone before somebody looks",
			named, daysOf(time.Duration(r.NoncurrentDays)*day), daysOf(j.policy.LongestWait()))
	}
	if least := wholeDays(j.policy.UploadDeadline); r.AbortDays > 0 && r.AbortDays < least {
		o.wrong(fmt.Sprintf("set its DaysAfterInitiation to more than %d", least),
			"%s aborts multipart uploads after %s, earlier than the deadline (%s): it breaks uploads that are under way",
			named, daysOf(time.Duration(r.AbortDays)*day), spell(j.policy.UploadDeadline))
	}
}

// overlap reports whether a rule's prefix and the installation's have keys in
// common.
func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
