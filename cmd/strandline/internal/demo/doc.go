// Package demo tells the cleaner's main job as a story and checks it: the same
// handlers that Lambda runs, over a local cloud or in memory.
package demo
