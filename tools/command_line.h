// Parses command lines without CLI11's splitting of arguments.
#ifndef CALLBRIDGE_TOOLS_COMMAND_LINE_H_
#define CALLBRIDGE_TOOLS_COMMAND_LINE_H_

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace callbridge {

// Lets a positional take any number of arguments unchanged. CLI11's own way also splits arguments
// in brackets: "[a,b]" would become two files. Returns the option.
CLI::Option* TakeEachUnchanged(CLI::Option* positional);

// Like app->parse(argc, argv), but "--option=" is an option with an empty text (CLI11 would take
// the next argument as the text), and the error for an option that is not known names the one that
// is most like it.
void ParseCommandLine(CLI::App* app, int argc, char** argv);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_COMMAND_LINE_H_
