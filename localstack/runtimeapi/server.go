package runtimeapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// version begins every path of the interface.
const version = "/2018-06-01/runtime"

func (p *Process) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET "+version+"/invocation/next", p.serveNext)
	m.HandleFunc("POST "+version+"/invocation/{id}/response", p.serveAnswer)
	m.HandleFunc("POST "+version+"/invocation/{id}/error", p.serveAnswer)
	m.HandleFunc("POST "+version+"/init/error", p.serveRefusal)
	return m
}

// serveNext gives the process its next event, however long there is none.
func (p *Process) serveNext(w http.ResponseWriter, r *http.Request) {
	p.asked.Do(func() { close(p.ready) })
	select {
	case i := <-p.next:
		p.mu.Lock()
		p.current = i
		p.mu.Unlock()
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", i.id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:here")
		_, _ = w.Write(i.event) // a process that is gone is seen by its end
	case <-r.Context().Done():
	}
}

// serveAnswer takes the answer, or the failure, of the current invocation.
func (p *Process) serveAnswer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it died while it answered
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.current
	if i == nil || p.killed || i.id != r.PathValue("id") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if i.body = body; strings.HasSuffix(r.URL.Path, "/error") {
		i.body, i.err = nil, failureOf(body)
	}
	p.current = nil
	close(i.answered)
	w.WriteHeader(http.StatusAccepted)
}

func failureOf(body []byte) error {
	f := &FunctionError{}
	if err := json.Unmarshal(body, f); err != nil {
		return errors.New("the function failed, and says so in no form of Lambda's")
	}
	return f
}

// serveRefusal takes why a process cannot begin; it ends after that.
func (p *Process) serveRefusal(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = failureOf(body)
	w.WriteHeader(http.StatusAccepted)
}
