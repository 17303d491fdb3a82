// `callbridge audit`: which releases of jaxlib the custom calls of a wheel run on.
#ifndef CALLBRIDGE_TOOLS_AUDIT_COMMAND_H_
#define CALLBRIDGE_TOOLS_AUDIT_COMMAND_H_

#include <string>

#include "callbridge/tools/exit_status.h"

namespace CLI {
class App;
}

namespace callbridge {

struct AuditOptions {
  std::string path;
  std::string jax;
  bool json = false;
  bool table = false;
  bool strict = false;
  bool probe = false;
};

// Adds the subcommand `audit`, which parses into `options`; they must outlive the app.
CLI::App* AddAuditCommand(CLI::App* app, AuditOptions* options);

// Replaces this process by Python, which runs python/callbridge/_audit/_command.py: it unpacks
// wheels, reads version specifiers, and has `callbridge inspect --json` read the libraries. Returns
// only if it cannot be started.
ExitStatus RunAudit(const AuditOptions& options);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_AUDIT_COMMAND_H_
