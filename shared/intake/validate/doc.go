// Package validate says what may be uploaded, and what is wrong with what may
// not, in words for the person who uploads.
//
// [Limits] are [Rules] per tenant and kind of upload: how many bytes, and which
// [Type]s of content, each with the extensions that its files have. [Rules.Name]
// cleans the name that a file is shown by, [Rules.Content] reads the media type
// from the first bytes and compares it with the extension, [Rules.Meter] counts
// the bytes while they pass. A [Scanner] may look at the whole content before it
// is published.
//
// What it promises: what a client says of a file (media type, size, name) is
// never believed, only compared; a [Refusal] says what, where, and in one
// sentence what to do, and repeats nothing that the client sent; so it can be
// shown, and be logged.
//
// What it never does: read more than it needs, keep what it read, or say
// anything about what others have uploaded. Signatures are looked for in the
// first bytes only ([HeadBytes]): a file that is two things at once passes as
// the one that its beginning shows. What is behind that is a scanner's.
package validate
