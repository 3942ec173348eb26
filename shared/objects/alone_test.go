package objects

import "testing"

func TestKeysThatXMLWouldChangeAreDeletedAlone(t *testing.T) {
	for key, want := range map[string]bool{
		"uploads/acme/u-1/1/1": false, "a b+c/é%20.png": false, "日本": false, "\U0001F600": false,
		"a\x01b": true, "a\nb": true, "a\rb": true, "a\tb": true, "a\x7fb": true, "a\u0085b": true,
		"a\u2028b": true, "a\ufffeb": true, "a\xffb": true, "a\xed\xa0\x80b": true,
	} {
		if got := Alone(key); got != want {
			t.Errorf("%q alone: %v", key, got)
		}
	}
}
