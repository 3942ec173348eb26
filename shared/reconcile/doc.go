// Package reconcile compares an S3 Inventory with what its owner says is there,
// both ways, and says of every object version what that makes it.
//
// It deletes nothing. What only the inventory knows becomes a finding, and at
// most a hold that a person decides; what only the owner knows is looked up
// before anybody is alarmed. A run that could not read everything has no
// findings at all.
package reconcile
