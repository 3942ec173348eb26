package command

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/upload"
)

func example() upload.Command {
	return upload.Command{
		Run:       "every-15m@2026-11-30T08:15:00.000Z",
		Operation: upload.OpClaim,
		ID:        upload.ID{Tenant: "acme", Upload: "u-1842"},
		Version:   7,
		Cutoff:    time.Date(2026, 11, 30, 8, 10, 0, 0, time.UTC),
		Reason:    "cancelled",
	}
}

const exampleBody = `{"schema":1,"run":"every-15m@2026-11-30T08:15:00.000Z","operation":"claim",` +
	`"tenant":"acme","upload":"u-1842","version":7,"cutoff":"2026-11-30T08:10:00Z","reason":"cancelled"}`

func TestACommandIsAlwaysTheSameBytes(t *testing.T) {
	for range 3 {
		body, err := Encode(example())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(exampleBody, string(body)); diff != "" {
			t.Fatalf("encoded (-want +got):\n%s", diff)
		}
	}
}

func TestWhatWasSentIsWhatIsReceived(t *testing.T) {
	cases := map[string]func(*upload.Command){
		"plain":                       func(*upload.Command) {},
		"reclaim":                     func(c *upload.Command) { c.Operation = upload.OpReclaim },
		"trim":                        func(c *upload.Command) { c.Operation = upload.OpTrim },
		"reopen":                      func(c *upload.Command) { c.Operation = upload.OpReopen },
		"no reason":                   func(c *upload.Command) { c.Reason = "" },
		"version nought":              func(c *upload.Command) { c.Version = 0 },
		"largest version":             func(c *upload.Command) { c.Version = 1<<63 - 1 },
		"unicode tenant":              func(c *upload.Command) { c.ID.Tenant = "Küche 北 😀" },
		"the replacement character":   func(c *upload.Command) { c.ID.Upload = "u\ufffd" },
		"quotes, slashes, html":       func(c *upload.Command) { c.ID.Tenant = `a"b\c/d<e>&'f` },
		"what looks like an escape":   func(c *upload.Command) { c.ID.Tenant = `\ud83d\ufffd` },
		"line separators":             func(c *upload.Command) { c.ID.Tenant = "a\u2028b\u2029" },
		"cutoff of a nanosecond":      func(c *upload.Command) { c.Cutoff = c.Cutoff.Add(1) },
		"cutoff in another time zone": func(c *upload.Command) { c.Cutoff = c.Cutoff.In(time.FixedZone("", 3600)) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			want := example()
			change(&want)
			body, err := Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(body)
			if err != nil {
				t.Fatalf("decode %s: %v", body, err)
			}
			want.Cutoff = want.Cutoff.UTC()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

// With each of these written as a \u escape, a worker would reject what a pass
// may send.
func TestTheLongestLegalCommandFits(t *testing.T) {
	for _, expensive := range []string{`"`, `\`, "<", "&", "\u2028", "\ufffd"} {
		c := example()
		c.Run = strings.Repeat(expensive, MaxText/len(expensive))
		c.Reason = c.Run
		c.ID.Tenant = strings.Repeat(expensive, upload.MaxIDBytes/len(expensive))
		c.ID.Upload = c.ID.Tenant
		c.Version = 1<<63 - 1
		c.Cutoff = c.Cutoff.Add(123456789)
		body, err := Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(body); err != nil {
			t.Errorf("a command of %q in %d bytes: %v", expensive, len(body), err)
		}
	}
}

func TestTheLongestCommandInUseStaysBelowAKilobyte(t *testing.T) {
	c := example()
	c.ID.Tenant = strings.Repeat("t", upload.MaxIDBytes)
	c.ID.Upload = strings.Repeat("u", upload.MaxIDBytes)
	body, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(body) >= 1024 {
		t.Fatalf("%d bytes: expected less than 1024", len(body))
	}
}

func TestSpacesAndOrderDoNotMatter(t *testing.T) {
	got, err := Decode([]byte(` { "reason" : "cancelled" , "cutoff":"2026-11-30T09:10:00+01:00", "version" : 7 ,
		"upload":"u-1842","tenant": "acme", "operation":"claim", "run":"every-15m@2026-11-30T08:15:00.000Z", "schema" : 1 } `))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example(), got); diff != "" {
		t.Fatal(diff)
	}
}

// Every line guards what is deleted: without the rejection, a worker would act
// on a message whose meaning it guesses (the last of two versions, a field in
// another case, a schema of the future), or two ids would become one.
func TestAMessageThatIsNoCommandIsRejectedWithItsReason(t *testing.T) {
	with := func(old, new string) string {
		if !strings.Contains(exampleBody, old) {
			t.Fatalf("the example has no %s", old)
		}
		return strings.Replace(exampleBody, old, new, 1)
	}
	long := strings.Repeat("x", 3*upload.MaxIDBytes)
	cases := []struct{ name, body, reason string }{
		{"empty", ``, "not a JSON object"},
		{"text", `hello`, "not a JSON object"},
		{"list", `[` + exampleBody + `]`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"cut off", exampleBody[:60], "ends too early"},
		{"cut before its end", exampleBody[:len(exampleBody)-1], "ends too early"},
		{"malformed", with(`"version":7,`, `"version":7,,`), "malformed"},
		{"no colon", with(`"version":7`, `"version" 7`), "malformed"},
		{"second object behind it", exampleBody + exampleBody, "follows the JSON object"},
		{"text behind it", exampleBody + " x", "follows the JSON object"},
		{"larger than the limit", with("cancelled", strings.Repeat(" ", MaxBody)), "at most 4096"},
		{"not UTF-8", with("acme", "ac\xffme"), "not UTF-8"},
		{"first half of a pair", with("acme", `ac\ud83dme`), "not UTF-8"},
		{"second half of a pair", with("acme", `ac\uDE00me`), "not UTF-8"},
		{"halves the wrong way round", with("acme", `\ude00\ud83d`), "not UTF-8"},
		{"next schema", with(`"schema":1`, `"schema":2`), `schema is "2": this version knows only 1`},
		{"next schema with fields of its own", with(`"schema":1`, `"schema":2,"colour":"red"`), `schema is "2"`},
		{"schema nought", with(`"schema":1`, `"schema":0`), `schema is "0"`},
		{"schema as a string", with(`"schema":1`, `"schema":"1"`), "schema is a string"},
		{"schema as a fraction", with(`"schema":1`, `"schema":1.0`), `schema is "1.0"`},
		{"no schema", with(`"schema":1,`, ``), "field schema is missing"},
		{"unknown field", with(`"schema":1`, `"schema":1,"key":"k"`), `field "key" is unknown`},
		{"long unknown field", with(`"schema":1`, `"schema":1,"`+long+`":1`), "(cut, 384 bytes) is unknown"},
		{"field in another case", with(`"tenant"`, `"Tenant"`), "field tenant is missing"},
		{"field twice", with(`"version":7`, `"version":7,"version":8`), `field "version" is there twice`},
		{"field twice in escapes", with(`"version":7`, `"version":7,"\u0076ersion":8`), `field "version" is there twice`},
		{"field twice in another case", with(`"version":7`, `"version":7,"VERSION":8`), `field "VERSION" is unknown`},
		{"no tenant", with(`"tenant":"acme",`, ``), "field tenant is missing"},
		{"no reason", with(`,"reason":"cancelled"`, ``), "field reason is missing"},
		{"tenant a number", with(`"acme"`, `5`), `tenant is "5": expected a string`},
		{"tenant null", with(`"acme"`, `null`), `tenant is "null": expected a string`},
		{"tenant a list", with(`"acme"`, `["acme"]`), "tenant is a list: expected a string"},
		{"upload an object", with(`"u-1842"`, `{"id":"u-1842"}`), "upload is an object: expected a string"},
		{"tenant empty", with("acme", ""), "tenant id is empty"},
		{"tenant too long", with("acme", long), "tenant id has 384 bytes: at most 128"},
		{"upload with a control character", with("u-1842", `u\n1842`), "upload id holds a control character"},
		{"run empty", with("every-15m@2026-11-30T08:15:00.000Z", ""), "run is empty"},
		{"run too long", with("every-15m", long), "run has 409 bytes: at most 256"},
		{"reason too long", with("cancelled", long), "reason has 384 bytes: at most 256"},
		{"reason with a control character", with("cancelled", `a\u0000b`), "reason holds a control character"},
		{"unknown operation", with(`"claim"`, `"drop-all"`), `operation is "drop-all": expected claim, reclaim, trim or reopen`},
		{"no operation", with(`"claim"`, `""`), `operation is ""`},
		{"negative version", with(`:7,`, `:-1,`), "version is -1"},
		{"version a fraction", with(`:7,`, `:7.5,`), `version is "7.5": expected a whole number`},
		{"version with an exponent", with(`:7,`, `:7e3,`), `version is "7e3"`},
		{"version a string", with(`:7,`, `:"7",`), "version is a string: expected a whole number"},
		{"version too large", with(`:7,`, `:9223372036854775808,`), "expected a whole number"},
		{"cutoff a number", with(`"2026-11-30T08:10:00Z"`, `1796026200`), `cutoff is "1796026200": expected a string`},
		{"cutoff a date", with("2026-11-30T08:10:00Z", "2026-11-30"), `cutoff is "2026-11-30": expected an instant`},
		{"cutoff without a zone", with("08:10:00Z", "08:10:00"), "expected an instant"},
		{"cutoff empty", with("2026-11-30T08:10:00Z", ""), `cutoff is "": expected an instant`},
		{"cutoff the zero instant", with("2026-11-30T08:10:00Z", "0001-01-01T00:00:00Z"), "the zero instant"},
		{"cutoff before the year 1", with("2026-11-30T08:10:00Z", "0000-12-31T00:00:00Z"), "year"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Decode([]byte(c.body))
			var r *Rejected
			if !errors.As(err, &r) {
				t.Fatalf("expected a *Rejected, got %v and %+v", err, got)
			}
			if !strings.Contains(r.Reason, c.reason) {
				t.Errorf("reason is %q: expected it to say %q", r.Reason, c.reason)
			}
			if len(r.Reason) > 256 {
				t.Errorf("reason has %d bytes: expected it to be bounded", len(r.Reason))
			}
			if strings.ContainsAny(r.Reason, "\n\x00") {
				t.Errorf("reason %q is not one line", r.Reason)
			}
			if got != (upload.Command{}) {
				t.Errorf("a rejected message gave a command: %+v", got)
			}
		})
	}
}

func TestARejectionNamesNoId(t *testing.T) {
	for _, body := range []string{
		strings.Replace(exampleBody, "acme", `secret\n`, 1),
		strings.Replace(exampleBody, `"u-1842"`, `["secret"]`, 1),
		strings.Replace(exampleBody, "every-15m", strings.Repeat("secret", 60), 1),
	} {
		_, err := Decode([]byte(body))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("rejection is %v: expected one that shows no id", err)
		}
	}
}

func TestWhatWouldBeRejectedIsNotSent(t *testing.T) {
	cases := map[string]func(*upload.Command){
		"no run":            func(c *upload.Command) { c.Run = "" },
		"run not UTF-8":     func(c *upload.Command) { c.Run = "\xff" },
		"unknown operation": func(c *upload.Command) { c.Operation = "purge" },
		"tenant not UTF-8":  func(c *upload.Command) { c.ID.Tenant = "\xff" },
		"upload too long":   func(c *upload.Command) { c.ID.Upload = strings.Repeat("u", 129) },
		"version negative":  func(c *upload.Command) { c.Version = -1 },
		"no cutoff":         func(c *upload.Command) { c.Cutoff = time.Time{} },
		"cutoff in 10000":   func(c *upload.Command) { c.Cutoff = c.Cutoff.AddDate(8000, 0, 0) },
		"reason too long":   func(c *upload.Command) { c.Reason = strings.Repeat("r", 257) },
	}
	for name, change := range cases {
		c := example()
		change(&c)
		var r *Rejected
		if body, err := Encode(c); !errors.As(err, &r) {
			t.Errorf("%s: expected a *Rejected, got %v and %s", name, err, body)
		}
	}
}
