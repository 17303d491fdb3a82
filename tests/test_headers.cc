// Of no use by itself: compiled for the precompiled headers that the tests share (CMakeLists.txt).
int main() { return 0; }
