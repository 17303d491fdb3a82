// A library without functions.
