"""Signals have their default dispositions, whatever those of the process that started the tests."""

import signal

# A shell without job control ignores SIGINT and SIGQUIT in what it starts in the background, and
# nohup ignores SIGHUP. The programs that the tests start would inherit that, and ignore the signals
# that the tests send them.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(
            number,
            signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL,
        )
