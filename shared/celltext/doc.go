// Package celltext reads what the cells of inventories and key lists say:
// instants, sizes, ETags. It reads bytes as they lie in a row and allocates
// nothing, because it is asked several times for each of very many rows.
package celltext
