package orc

import _ "time/tzdata" // the tests' writers name zones, whatever this machine has
