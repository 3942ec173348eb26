package s3_test

import (
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/objects"
)

// element is XML as the standard library reads it, whatever it is.
type element struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

// has reports whether one of the children is called so and says the text.
func (e element) has(name, text string) bool {
	return slices.ContainsFunc(e.Children, func(c element) bool {
		return strings.EqualFold(c.XMLName.Local, name) && strings.TrimSpace(c.Text) == text
	})
}

// gone reports that an answer says of this very version that it is not there.
func gone(body, key, versionID string) bool {
	var answer element
	if err := xml.Unmarshal([]byte(body), &answer); err != nil {
		return true // two libraries need not agree on broken XML
	}
	return slices.ContainsFunc(answer.Children, func(entry element) bool {
		if !entry.has("Key", key) || !entry.has("VersionId", versionID) {
			return false
		}
		return strings.EqualFold(entry.XMLName.Local, "Deleted") ||
			strings.EqualFold(entry.XMLName.Local, "Error") && slices.ContainsFunc(entry.Children, func(c element) bool { return strings.Contains(c.Text, "NoSuch") })
	})
}

// FuzzDeleteAnswers: whatever a service answers to a delete of three versions,
// each gets one answer, in the order asked, and none is called gone of which the
// answer does not say so, by its key and its version, and nothing else.
func FuzzDeleteAnswers(f *testing.F) {
	f.Add(200, result(deleted("k1", "v1"), failed("k2", "v2", "AccessDenied"), deleted("k3", "v3")).body)
	f.Add(200, result(deleted("k1", "v1"), failed("k1", "v1", "InternalError"), deleted("k1", "v2"), deleted("K1", "v1"), failed("k3", "v3", "NoSuchVersion")).body)
	f.Add(200, "<DeleteResult><Deleted><Key>k1</Key></Deleted><Deleted><VersionId>v1</VersionId></Deleted></DeleteResult>")
	f.Add(200, "<Error><Code>InternalError</Code></Error>")
	f.Add(503, "<Error><Code>SlowDown</Code></Error>")
	f.Add(200, "<DeleteResult")
	f.Add(404, "")
	f.Fuzz(func(t *testing.T, status int, body string) {
		if strings.Contains(body, "<!") || strings.Contains(body, "<?") {
			return // text in pieces, which nobody sends
		}
		if status < 200 || status > 599 || status/100 == 3 {
			return
		}
		s, _ := store(t, func(r request) reply {
			if r.method == "POST" {
				return reply{status: status, body: body}
			}
			return notLocked
		})
		asked := some(t, 3)
		results := s.Delete(t.Context(), "b", asked)
		if len(results) != len(asked) {
			t.Fatalf("%d answers of %d", len(results), len(asked))
		}
		for i, r := range results {
			if r.Condemned != asked[i] {
				t.Fatalf("answer %d is about %+v", i, r.Condemned)
			}
			if r.Outcome == objects.Gone && (status/100 != 2 || !gone(body, asked[i].Key(), asked[i].VersionID())) {
				t.Fatalf("%s is called gone by %d %q", asked[i].Key(), status, body)
			}
		}
	})
}

// lists reports that an answer has an entry of that name, with the key and the id
// that is called so, as two other readers have them: those of XML and of URLs.
func lists(body, entry, key, idName, id string) bool {
	var answer element
	if err := xml.Unmarshal([]byte(body), &answer); err != nil {
		return true // two libraries need not agree on broken XML
	}
	encoded := answer.has("EncodingType", "url")
	return slices.ContainsFunc(answer.Children, func(e element) bool {
		return strings.EqualFold(e.XMLName.Local, entry) && (e.has(idName, strings.TrimSpace(id)) || id == "") &&
			slices.ContainsFunc(e.Children, func(c element) bool {
				said := c.Text
				if encoded {
					// The other reader of what S3 writes: a plus sign is a space there.
					said, _ = url.PathUnescape(strings.ReplaceAll(said, "+", " "))
				}
				return strings.EqualFold(c.XMLName.Local, "Key") && strings.TrimSpace(said) == strings.TrimSpace(key)
			}) || key == ""
	})
}

// FuzzListings: whatever a service answers to a listing, it is read or an error,
// it ends, what is listed is in the answer, letter for letter, and a page that is
// cut off without saying where it goes on is never taken for the whole.
func FuzzListings(f *testing.F) {
	f.Add("<ListVersionsResult><EncodingType>url</EncodingType><Version><Key>a%2Bb</Key><VersionId>v</VersionId><Size>7</Size></Version><IsTruncated>true</IsTruncated></ListVersionsResult>")
	f.Add("<ListVersionsResult><EncodingType>url</EncodingType><DeleteMarker><Key>%zz</Key></DeleteMarker></ListVersionsResult>")
	f.Add("<ListVersionsResult><Version><Key>a</Key><LastModified>yesterday</LastModified></Version><NextKeyMarker>a</NextKeyMarker><IsTruncated>true</IsTruncated></ListVersionsResult>")
	f.Add("<ListMultipartUploadsResult><Upload><Key>a</Key><UploadId>u</UploadId></Upload></ListMultipartUploadsResult>")
	f.Fuzz(func(t *testing.T, body string) {
		plain := !strings.Contains(body, "<!") && !strings.Contains(body, "<?") // no text in pieces, which nobody sends
		calls := 0
		s, _ := store(t, func(request) reply {
			if calls++; calls > 3 { // a service that always says there is more
				return fault(403, "AccessDenied")
			}
			return reply{status: 200, body: body}
		})
		var last error
		for v, err := range s.Versions(t.Context(), "b", "p") {
			if last != nil {
				t.Fatalf("an entry %+v after an error %v", v, last)
			}
			last = err
			entry := map[bool]string{true: "DeleteMarker", false: "Version"}[v.Marker]
			if err == nil && plain && !lists(body, entry, v.Key, "VersionId", v.VersionID) {
				t.Fatalf("%+v is listed of %q", v, body)
			}
		}
		var says struct {
			IsTruncated bool   `xml:"IsTruncated"`
			Next        string `xml:"NextKeyMarker"`
		}
		if xml.Unmarshal([]byte(body), &says) == nil && says.IsTruncated && last == nil && strings.Contains(body, "IsTruncated>true<") && calls < 2 {
			t.Fatalf("%q is taken for the whole", body)
		}
		calls = 0
		for m, err := range s.Multiparts(t.Context(), "b", "p") {
			if err == nil && plain && !lists(body, "Upload", m.Key, "UploadId", m.UploadID) {
				t.Fatalf("%+v is listed of %q", m, body)
			}
		}
	})
}
