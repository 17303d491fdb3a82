"""`callbridge audit`: on which jaxlibs the custom calls of a package run."""
