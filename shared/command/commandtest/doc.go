// Package commandtest is the suite that every queue passes.
package commandtest
