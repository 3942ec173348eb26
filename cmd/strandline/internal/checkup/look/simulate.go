package look

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// simulate asks IAM whether one may do all of a right, on each of its things.
// It sees the policies of the role and its boundary, not those of a bucket or a
// queue.
func (e *eye) simulate(ctx context.Context, who string, r rights.Right) {
	principal, err := e.principal(ctx, who)
	things, unknown := e.resources(who, r.On)
	switch {
	case err != nil:
		e.all(who, r, checkup.Failure{Kind: checkup.NotGiven, Says: err.Error()})
		return
	case len(things) == 0:
		e.all(who, r, checkup.Failure{Kind: checkup.NotGiven, Says: unknown})
		return
	case strings.HasSuffix(principal, ":root"):
		e.all(who, r, checkup.Failure{}) // an account's root may do everything
		return
	}
	decisions := map[string]checkup.Asked{}
	for _, thing := range things {
		out, err := e.iam.SimulatePrincipalPolicy(ctx, &iam.SimulatePrincipalPolicyInput{
			PolicySourceArn: aws.String(principal), ActionNames: r.Actions, ResourceArns: []string{thing.arn},
			ContextEntries: e.through(r.On),
		})
		if err != nil {
			f := failure(err)
			if who != checkup.You {
				e.mayAsk(f)
			}
			// That the asking is denied says nothing of what was asked after.
			e.all(who, r, checkup.Failure{Kind: checkup.Other, Says: f.Says})
			return
		}
		fold(decisions, out.EvaluationResults, thing)
	}
	if who != checkup.You {
		e.mayAsk(checkup.Failure{})
	}
	for _, action := range r.Actions {
		a := decisions[action] // the zero value: IAM did not say
		a.Who, a.On, a.Action = who, r.On, action
		e.asked(a)
	}
}

// through is the service by which a key is used: the roles may use it in no
// other way.
func (e *eye) through(place rights.Place) []types.ContextEntry {
	if place != rights.Key {
		return nil
	}
	return []types.ContextEntry{{
		ContextKeyName: aws.String("kms:ViaService"), ContextKeyType: types.ContextKeyTypeEnumString,
		ContextKeyValues: []string{"dynamodb." + e.facts.Region + ".amazonaws.com"},
	}}
}

// fold takes over what IAM decided about one thing: a denial stays.
func fold(decisions map[string]checkup.Asked, results []types.EvaluationResult, thing resource) {
	for _, one := range results {
		action := aws.ToString(one.EvalActionName)
		switch before := decisions[action]; {
		case before.Failed.Kind == checkup.Denied:
		case one.EvalDecision == types.PolicyEvaluationDecisionTypeAllowed:
			decisions[action] = checkup.Asked{Allowed: true}
		default:
			decisions[action] = checkup.Asked{Failed: checkup.Failure{Kind: checkup.Denied, Says: thing.words}}
		}
	}
}

// all is one answer for every action of a right; without a failure they are
// allowed.
func (e *eye) all(who string, r rights.Right, f checkup.Failure) {
	for _, action := range r.Actions {
		e.asked(checkup.Asked{Who: who, On: r.On, Action: action, Allowed: f.Kind == "", Failed: f})
	}
}

// mayAsk tells of the right to simulate a function's role, from trying it.
func (e *eye) mayAsk(f checkup.Failure) {
	a := denial(checkup.Asked{Who: checkup.You, On: rights.Roles, Action: "iam:SimulatePrincipalPolicy", Allowed: true}, f)
	e.set(func(facts *checkup.Facts) {
		for i, before := range facts.Asked {
			if before.Who == a.Who && before.On == a.On {
				if !a.Allowed {
					facts.Asked[i] = a
				}
				return
			}
		}
		facts.Asked = append(facts.Asked, a)
	})
}

// principal is the ARN that IAM knows somebody by.
func (e *eye) principal(ctx context.Context, who string) (string, error) {
	if who != checkup.You {
		if role := e.deployed(who).Role; role != "" {
			return role, nil
		}
		return "", errors.New("the function was not seen, and so not its role")
	}
	if !e.facts.Caller.Seen {
		return "", errors.New("nobody says who runs this: " + e.facts.Caller.Failed.Says)
	}
	return e.callerRole(ctx, e.facts.Caller.Got.ARN), nil
}

// callerRole is the role behind a session. A session's ARN lacks the role's
// path; where it cannot be looked up, IAM is asked after a role without one.
func (e *eye) callerRole(ctx context.Context, arn string) string {
	words := strings.Split(arn, ":")
	session, assumed := strings.CutPrefix(words[len(words)-1], "assumed-role/")
	if !assumed || len(words) < 6 {
		return arn
	}
	name, _, _ := strings.Cut(session, "/")
	if out, err := e.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: aws.String(name)}); err == nil {
		return aws.ToString(out.Role.Arn)
	}
	return strings.Join([]string{"arn", words[1], "iam", "", words[4], "role/" + name}, ":")
}
