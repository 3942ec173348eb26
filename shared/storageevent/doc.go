// Package storageevent reads what S3 tells of objects that were created: its own
// notifications, and its events by way of EventBridge. It knows what both say of
// an object, and nothing of who asks.
//
// Events come at least once, in any order, and late: what they say is about the
// version they name, and says nothing about what stands now.
package storageevent
