// Package lambdaevent makes the events that the functions read, as AWS makes
// them: for whoever plays AWS, which is the simulation, the benchmarks and the
// emulator's installation. No function links it.
package lambdaevent
