package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// message is the JSON form, in the order in which it is written.
type message struct {
	Schema    int              `json:"schema"`
	Run       string           `json:"run"`
	Operation upload.Operation `json:"operation"`
	Tenant    string           `json:"tenant"`
	Upload    string           `json:"upload"`
	Version   int64            `json:"version"`
	Cutoff    string           `json:"cutoff"`
	Reason    string           `json:"reason"`
}

// Encode returns the command's message: always the same bytes for the same
// command. A command that Decode would reject is a *Rejected here already.
func Encode(c upload.Command) ([]byte, error) {
	if err := validate(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(message{
		Schema: Schema, Run: c.Run, Operation: c.Operation,
		Tenant: c.ID.Tenant, Upload: c.ID.Upload, Version: c.Version,
		Cutoff: c.Cutoff.UTC().Format(time.RFC3339Nano), Reason: c.Reason,
	})
	if err != nil {
		return nil, fmt.Errorf("encode command for upload %s: %w", c.ID.Upload, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// validate refuses what no pass sends.
func validate(c upload.Command) error {
	if err := c.ID.Validate(); err != nil {
		return &Rejected{Reason: err.Error()}
	}
	if err := checkText("run", c.Run); err != nil {
		return err
	}
	if c.Run == "" {
		return rejected("run is empty: expected the id of the run that sends it")
	}
	if err := checkText("reason", c.Reason); err != nil {
		return err
	}
	switch c.Operation {
	case upload.OpClaim, upload.OpReclaim, upload.OpTrim, upload.OpReopen:
	default:
		return rejected("operation is %s: expected claim, reclaim, trim or reopen", shown(string(c.Operation)))
	}
	if c.Version < 0 {
		return rejected("version is %d: expected the version of a record, 0 or more", c.Version)
	}
	if c.Cutoff.IsZero() || c.Cutoff.UTC().Year() < 1 || c.Cutoff.UTC().Year() > 9999 {
		return rejected("cutoff is %d: expected a year from 1 to 9999, and not the zero instant", c.Cutoff.UTC().Year())
	}
	return nil
}

func checkText(field, s string) error {
	switch {
	case len(s) > MaxText:
		return rejected("%s has %d bytes: at most %d", field, len(s), MaxText)
	case !utf8.ValidString(s):
		return rejected("%s is not UTF-8", field)
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return rejected("%s holds a control character", field)
	}
	return nil
}

// shown is a bounded, quoted form of a value for a reason.
func shown(s string) string {
	const most = 48
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q (cut, %d bytes)", strings.ToValidUTF8(s[:most], ""), len(s))
}
