package checkup

import (
	"fmt"
	"strings"
	"time"
)

// Services are those that an installation, and its doctor, cannot do without.
func Services() []string {
	return []string{"DynamoDB", "SQS", "S3", "Scheduler", "Lambda", "IAM", "STS"}
}

func (j *judge) services() {
	var answered []string
	for _, name := range Services() {
		s := j.facts.service(name)
		o := j.on(CheckEndpoint, "%s", name)
		switch {
		case s.Answered:
			answered = append(answered, name)
		case s.Says == "" && name == "IAM":
			// Nobody had to be asked after; the rights check says why.
		case s.Says == "" && name == "S3" && len(j.facts.Buckets) == 0:
			o.add(Unchecked, "it was not asked: no bucket is known", nameBucket)
		case s.Says == "":
			o.add(Unchecked, "it was never asked", "run doctor again")
		default:
			o.wrong("look at --endpoint and --region (AWS_ENDPOINT_URL, AWS_REGION), and at the network between",
				"no answer comes: %s", s.Says)
		}
	}
	if len(answered) > 0 {
		j.on(CheckEndpoint, "region %s", j.facts.Region).ok("%s answer", strings.Join(answered, ", "))
	}
	j.clock()
}

func (f Facts) service(name string) Service {
	for _, s := range f.Services {
		if s.Name == name {
			return s
		}
	}
	return Service{Name: name}
}

// clock compares with the Date of the answers, which is in whole seconds. Only
// the stores' clocks count for a pass.
func (j *judge) clock() {
	worst, on, seen := time.Duration(0), "", false
	for _, s := range j.facts.Services {
		if s.Date.IsZero() || s.Heard.IsZero() {
			continue
		}
		apart := s.Heard.Sub(s.Date)
		if !seen || apart.Abs() > worst.Abs() {
			worst, on, seen = apart, s.Name, true
		}
	}
	o := j.on(CheckClock, "this machine")
	switch {
	case !seen:
		o.add(Unchecked, "no answer had a Date to compare with", "see the endpoint check")
	case worst.Abs() > j.policy.MaxClockSkew:
		o.wrong("set this machine's clock by NTP: run and approve refuse until then",
			"its clock is %s by %s", aheadOrBehind(worst), on)
	default:
		o.ok("within %v of the services' clocks", (worst.Abs() + time.Second).Truncate(time.Second))
	}
}

func aheadOrBehind(apart time.Duration) string {
	if apart > 0 {
		return fmt.Sprintf("%v ahead", apart.Round(time.Second))
	}
	return fmt.Sprintf("%v behind", apart.Abs().Round(time.Second))
}
