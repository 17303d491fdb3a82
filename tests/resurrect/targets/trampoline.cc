// A function that is a typed handler only where the process has said which one it leads to.
static void* (*the_handler)(void* frame);

extern "C" {
void SetHandler(void* (*handler)(void*)) { the_handler = handler; }
void* Trampoline(void* frame) { return the_handler(frame); }
}
