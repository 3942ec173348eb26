package reclaim

import (
	"path"
	"strings"
)

// Shape is what keys of one origin have in common: the folder, without the parts
// that differ from row to row. photos/2026/ab12/17.jpg is of the shape
// photos/*/*/. It is a guess, good enough to say where to look.
func Shape(key string) string {
	dir := path.Dir(key)
	if dir == "." || dir == "/" {
		return ""
	}
	parts := strings.Split(strings.Trim(dir, "/"), "/")
	for i, part := range parts {
		if strings.ContainsAny(part, "0123456789") {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/") + "/"
}
