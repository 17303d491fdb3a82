// The arguments of the subcommands that are Python programs, which read them themselves: they are
// in the table of the command line for completion and for the manual page.
#ifndef CALLBRIDGE_TOOLS_PYTHON_COMMAND_LINE_H_
#define CALLBRIDGE_TOOLS_PYTHON_COMMAND_LINE_H_

namespace CLI {
class App;
}

namespace callbridge {

// Adds what the --help of the subcommand lists, by its name.
void AddPythonArguments(CLI::App* command);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_PYTHON_COMMAND_LINE_H_
