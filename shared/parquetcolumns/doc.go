// Package parquetcolumns reads chosen columns of a Parquet file side by side,
// page by page, and allocates nothing for a row. It knows bytes, whole numbers,
// instants and booleans, optional or required; what is nested or repeated is no
// column of its.
//
// A file that is damaged is an error, also where the decoder beneath panics: it
// was written for files that are whole.
package parquetcolumns
