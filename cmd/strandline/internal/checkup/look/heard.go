package look

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
)

// heard listens to every answer: which service gave one, and its Date.
type heard struct {
	aws.HTTPClient
	now func() time.Time

	mu  sync.Mutex
	all map[string]checkup.Service
}

func newHeard(client aws.HTTPClient, now func() time.Time) *heard {
	return &heard{HTTPClient: client, now: now, all: map[string]checkup.Service{}}
}

// Do sends the request. An answer counts whatever its status; what failed
// counts only where the service never answered.
func (h *heard) Do(r *http.Request) (*http.Response, error) {
	answer, err := h.HTTPClient.Do(r)
	name := middleware.GetServiceID(r.Context())
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.all[name]
	s.Name = name
	if err != nil {
		s.Says = deepest(err)
		h.all[name] = s
		return answer, err
	}
	s.Answered = true
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		s.Date, s.Heard = date, h.now()
	}
	h.all[name] = s
	return answer, nil
}

// any reports whether any service answered at all.
func (h *heard) any() bool {
	return slices.ContainsFunc(h.services(), func(s checkup.Service) bool { return s.Answered })
}

func (h *heard) services() []checkup.Service {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []checkup.Service
	for _, s := range h.all {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b checkup.Service) int { return strings.Compare(a.Name, b.Name) })
	return all
}
