package validate_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake/validate"
)

func wantRefused(t *testing.T, err error, field validate.Field, reason validate.Reason) {
	t.Helper()
	var r *validate.Refusal
	if !errors.As(err, &r) || r.Field != field || r.Reason != reason {
		t.Errorf("got %v, want %s: %s", err, field, reason)
		return
	}
	if len(r.Sentence) < 20 || !strings.HasSuffix(r.Sentence, ".") || strings.Contains(r.Sentence, "\n") {
		t.Errorf("%s: %s says %q", field, reason, r.Sentence)
	}
}

const (
	jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	html = "<!DOCTYPE html><html><script>alert(1)</script></html>"
	svg  = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
)

// office is the beginning of a text document: an archive inside.
func office(t *testing.T) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "_rels/.rels", "word/document.xml"} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte("<xml/>"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestContentHasToBeWhatTheNameSays(t *testing.T) {
	rules := validate.Rules{MaxBytes: 1, Types: []validate.Type{
		validate.JPEG(), validate.PNG(), validate.GIF(), validate.WebP(), validate.PDF(), validate.MP4(), validate.CSV(), validate.Text(), validate.ZIP(),
	}}
	for name, c := range map[string]struct {
		extension, head, media string
		reason                 validate.Reason
	}{
		"a photo":                          {".jpg", jpeg, "image/jpeg", ""},
		"a photo by its longer name":       {".jpeg", jpeg, "image/jpeg", ""},
		"a drawing":                        {".png", png, "image/png", ""},
		"an animation":                     {".gif", "GIF89a\x01\x00", "image/gif", ""},
		"a photo of the web":               {".webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp", ""},
		"a document":                       {".pdf", "%PDF-1.7\n", "application/pdf", ""},
		"a film":                           {".mp4", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp42", "video/mp4", ""},
		"a film of a phone":                {".m4v", "\x00\x00\x00\x18ftypM4V \x00\x00\x02\x00M4V mp42", "video/mp4", ""},
		"a table":                          {".csv", "a,b\n1,2\n3,4\n", "text/csv", ""},
		"a table of one column":            {".csv", "a\n1\n2\n", "text/csv", ""},
		"a text":                           {".txt", "dear ann", "text/plain", ""},
		"a text with commas":               {".txt", "a,b\n1,2\n3,4\n", "text/plain", ""},
		"an archive":                       {".zip", "PK\x05\x06" + strings.Repeat("\x00", 18), "application/zip", ""},
		"a photo under a drawing's name":   {".png", jpeg, "", validate.ContentDiffers},
		"a document under a photo's name":  {".jpg", "%PDF-1.7\n", "", validate.ContentDiffers},
		"a program under a photo's name":   {".jpg", "MZ\x90\x00\x03\x00", "", validate.ContentRefused},
		"a page under a text's name":       {".txt", html, "", validate.ContentRefused},
		"a drawing that runs, as a text":   {".txt", svg, "", validate.ContentRefused},
		"a drawing that runs, as a photo":  {".png", svg, "", validate.ContentRefused},
		"a document as an archive":         {".zip", office(t), "", validate.ContentRefused},
		"nothing that is known":            {".jpg", "\x00\x01\x02\x03\xfe\xfd", "", validate.UnknownContent},
		"nothing":                          {".jpg", "", "", validate.Empty},
		"a photo that was cut after a bit": {".jpg", "\xff", "", validate.ContentDiffers},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rules.Content(c.extension, []byte(c.head))
			if c.reason != "" {
				wantRefused(t, err, validate.FieldFile, c.reason)
				return
			}
			if err != nil || got.Media != c.media {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// What is refused can be logged and shown: it repeats nothing of the client's.
func TestARefusalRepeatsNothingThatTheClientSent(t *testing.T) {
	rules, limits := photos(), validate.Limits{}
	_, name := rules.Name("canary.canary")
	_, content := rules.Content(".png", []byte("<html>canary"))
	_, kind := limits.For("canary", "canary")
	for _, err := range []error{name, content, kind} {
		var r *validate.Refusal
		if !errors.As(err, &r) || strings.Contains(r.Sentence+r.Error(), "canary") {
			t.Errorf("told %v: %+v", err, r)
		}
	}
}
