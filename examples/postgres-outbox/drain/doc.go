// Package drain empties the outbox that ../tables/outbox.sql installs: it
// decides which releases are due, and sends them into Strandline's queue of
// releases.
//
// A release goes through two short transactions, and none is open while
// anything is sent:
//
//   - Decide. A release that is old enough, and that no transaction can know
//     nothing of, is locked, and then every watched table is asked whether a
//     row still names its object. One does: it is kept, until the last such row
//     goes too, and all that was kept for the object goes with that. None does:
//     it is released, and from this commit on no row can name the object again.
//   - Send, at least once. What is released is taken for a minute, sent in
//     tens, and marked. Whoever dies between the two leaves it to the next
//     drainer, which sends it again, under the same id.
//
// What the queue cannot take is tried a few times and parked, and stays where a
// person finds it; what cannot even be written as a message is parked at once.
// That the queue is down is nobody's attempt: everything waits.
//
// Any number of drainers may run. No release is forgotten, whatever number its
// row has and whenever its transaction commits: they are taken by state, never
// from "the last id that was seen" on.
package drain
