#include "CLI/CLI.hpp"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/layout/layout_command.h"

namespace callbridge {
namespace {

constexpr char kLayoutDescription[] =
    "Draws the tables of pointers that a custom call with these operands gets, and declares them "
    "in C";

constexpr char kLayoutFooter[] =
    R"(Each SHAPE is one operand, as XLA writes it: f32[8,4], (f32[32],(s8[4],pred[])), token[].

Each slot of a table is shown as [index] +offset in bytes, name, and what it points to. p0_1 is
element 1 of operand 0; r is the result. The declarations are C99 and C++. They fit every version
of a target on its platform, since later versions only append parameters.

Example
  callbridge layout '(f32[32],(f32[64],f32[128]),f32[256])' --result '(f32[512],f32[1024])'

Exit status: 0 on success, 1 if a file cannot be written, 2 if the command line is wrong.)";

}  // namespace

CLI::App* AddLayoutCommand(CLI::App* app, LayoutOptions* options) {
  CLI::App* layout = app->add_subcommand("layout", kLayoutDescription);
  layout->footer(kLayoutFooter);
  TakeEachUnchanged(layout->add_option("SHAPE", options->operands, "The operands' shapes"))
      ->type_name("");
  layout
      ->add_option("--result", options->result,
                   "The result's shape; without one, no result is drawn")
      ->type_name("SHAPE");
  layout
      ->add_option("--tuple-layout", options->tuple_layout,
                   "Draw only this CPU tuple layout: nested (tables of pointers) or flat (as "
                   "jaxlib >= 0.4.38 passes "
                   "tuples")
      ->type_name("LAYOUT");
  layout
      ->add_option("--svg", options->svg_file,
                   "Also draw a picture into this file; - is standard output, in place of the text")
      ->type_name("FILE");
  layout->add_flag("--json", options->json, "Print the tables as JSON");
  return layout;
}

}  // namespace callbridge
