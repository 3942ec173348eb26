package source

// Use is a row that names an object. It names no object itself.
type Use struct {
	// Source is the name of the row's source. Entity is what the row is called in
	// the ledger's references (see [Source.Entity]): never logged, since it may be
	// anything that an application uses as a key. Empty where it cannot be told.
	Source, Entity string
}
