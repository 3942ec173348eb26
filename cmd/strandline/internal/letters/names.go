package letters

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// names are beginnings of ids that a person gave, and the letters that they
// name.
type names struct {
	given []string
	named map[string][]found // by what was given
}

func newNames(given []string) *names {
	return &names{given: given, named: map[string][]found{}}
}

// match reports whether somebody named the letter.
func (n *names) match(id string) bool {
	return slices.ContainsFunc(n.given, func(name string) bool { return strings.HasPrefix(id, name) })
}

// keep keeps a letter under each name that it has; two are enough to refuse.
func (n *names) keep(f found) {
	for _, name := range n.given {
		if strings.HasPrefix(f.MessageID, name) && len(n.named[name]) < 2 {
			n.named[name] = append(n.named[name], f)
		}
	}
}

// letters returns what was named, each once, in the order of the names.
func (n *names) letters() (all []found, err error) {
	for _, name := range n.given {
		letters := n.named[name]
		switch {
		case name == "": // it begins every id: a script whose variable is empty means none
			return nil, errors.New("a name is empty: give the beginning of a dead letter's id")
		case len(letters) == 0:
			return nil, fmt.Errorf("there is no dead letter %s: it may have been taken meanwhile, or is being looked at by somebody else; \"strandline dlq list\" shows what there is", name)
		case len(letters) > 1:
			return nil, fmt.Errorf("more than one dead letter begins with %s: give more of its id", name)
		case !slices.ContainsFunc(all, func(f found) bool { return f.MessageID == letters[0].MessageID }):
			all = append(all, letters[0])
		}
	}
	return all, nil
}
