// Package source describes what outside Strandline refers to objects: an
// application's own DynamoDB tables, and databases whose outbox sends releases
// as messages. It says which attributes of a row name an object, and how the
// rows that name one are found; it reads no table itself.
//
// When a row goes, or names another object, the object it named is released:
// package release takes it from there. Before anything is deleted, every
// source with an index is asked whether a row still names it.
//
// The rules of reading:
//
//   - A key in a row is literal, and so is one after s3://. Over HTTP it is
//     percent-decoded exactly once.
//   - What could be read in two ways (a plus sign, a fragment, a query that is no
//     versionId, a dot segment) is [Unreadable], and never guessed at.
//   - So is a row of another shape than its path says, such as a text where the
//     path has a map: it may name what it named before. What is absent or null
//     names nothing.
//   - A URL of a bucket that is none of the source's is nobody's business here.
//   - A name without a version may mean any version ([Object.Covers]): for what
//     is still named that keeps, for what is released it is decided elsewhere.
//   - An index is asked for an object's canonical spellings ([Source.Spellings]).
//     What is spelled otherwise is not [Source.Findable], and so not released.
//   - What a row that was found does not show, it may name ([Source.StillNames]).
package source
