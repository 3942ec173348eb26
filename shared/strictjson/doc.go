// Package strictjson reads JSON objects that can be read in one way only. A
// reader that takes the last of two equal fields, or a field in another case, or
// puts a character of its own where text is broken, reads another message than
// its sender, or the reader before it, has: two ids become one, or one object's
// key another's. encoding/json does all three.
package strictjson
