// Command lines in which every argument stands for itself.
#ifndef CALLBRIDGE_TOOLS_COMMAND_LINE_H_
#define CALLBRIDGE_TOOLS_COMMAND_LINE_H_

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace callbridge {

// Lets a positional take any number of arguments, each of them unchanged. CLI11's own way to do so
// also splits arguments in brackets: "[a,b]" would be two files. Returns the option.
CLI::Option* TakeEachUnchanged(CLI::Option* positional);

// As app->parse(argc, argv), but "--option=" is an option with an empty text. To CLI11 the text is
// the next argument.
void ParseCommandLine(CLI::App* app, int argc, char** argv);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_COMMAND_LINE_H_
