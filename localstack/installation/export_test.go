package installation

// Restarted is the installation with functions of their own over these stores:
// other processes, beside the first or after them.
func (i *Installation) Restarted(s Stores) (*Installation, error) {
	again := *i
	return &again, again.functions(s, names{})
}
