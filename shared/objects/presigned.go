package objects

import (
	"net/http"
	"time"
)

// Presigned is a put that somebody without credentials may do once, until
// ExpiresAt: the URL, and headers that are part of its signature and have to
// be sent as they are. They bind it to one size, to one SHA-256 where that was
// known, to one media type where one was given, and to a key that has no object
// yet (If-None-Match: *); or to one part of one multipart upload.
type Presigned struct {
	Method    string
	URL       string
	Header    http.Header
	ExpiresAt time.Time
}
