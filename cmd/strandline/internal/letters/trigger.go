package letters

import (
	"encoding/json"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/command"
)

// trigger is what a function was asked to do: by a schedule, or by a bucket
// that tells of an inventory. It names no objects.
type trigger struct{ what, schedule, time string }

func triggerOf(l command.Letter) trigger {
	var body struct {
		Task       string `json:"task"`
		Schedule   string `json:"schedule"`
		Time       string `json:"time"`
		DetailType string `json:"detail-type"`
		Records    []any  `json:"Records"`
	}
	if err := json.Unmarshal([]byte(l.Body), &body); err != nil {
		return trigger{what: "-"}
	}
	switch {
	case body.Task != "":
		return trigger{show.Name(body.Task), named(body.Schedule), named(body.Time)}
	case body.DetailType != "":
		return trigger{show.Name(body.DetailType), "", named(body.Time)}
	case len(body.Records) > 0:
		return trigger{what: "delivery"}
	}
	return trigger{what: "-"}
}

func named(text string) string {
	if text == "" {
		return ""
	}
	return show.Name(text)
}
