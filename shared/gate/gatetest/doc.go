// Package gatetest is the suite that every gate passes.
package gatetest
