// What uses_beside.cc needs and finds in its own folder.
int beside() { return 42; }
