#include "callbridge/tools/migrate_command.h"

#include "CLI/CLI.hpp"
#include "callbridge/tools/python_program.h"

namespace callbridge {

CLI::App* AddMigrateCommand(CLI::App* app) {
  return app->add_subcommand(
      "migrate", "Migrates the C++ and Python sources of custom calls to typed FFI and jax.ffi");
}

ExitStatus RunMigrate(const std::vector<std::string>& words) {
  return BecomePython("migrate", words, "callbridge migrate is a Python program, but",
                      "Python with libclang and libcst");
}

}  // namespace callbridge
