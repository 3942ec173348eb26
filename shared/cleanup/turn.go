package cleanup

import "sync"

// turn is a lock that is held while a store is asked: who waits for it waits
// for somebody's call, not for a computation. It is a channel rather than a
// [sync.Mutex], so that a virtual clock sees such a goroutine wait: shared/sim
// goes on once everybody waits. The zero value is ready, and free.
type turn struct {
	once sync.Once
	held chan struct{}
}

// Lock waits until nobody else holds it.
func (t *turn) Lock() {
	t.once.Do(func() { t.held = make(chan struct{}, 1) })
	t.held <- struct{}{}
}

// Unlock gives it to whoever waits.
func (t *turn) Unlock() { <-t.held }
