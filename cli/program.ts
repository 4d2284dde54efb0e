import { Command, CommanderError } from 'commander';

import { addAdministratorCommands } from './commands/administration/administrators.js';
import { addAgentCommands } from './commands/agents.js';
import { addAsteriskConfigCommand } from './commands/asterisk-config.js';
import { addAuditCommands } from './commands/administration/audit.js';
import { addBackupCommands } from './commands/backup.js';
import { addBillingCommands } from './commands/billing.js';
import { addCdrCommands } from './commands/cdr.js';
import { addBlockedCallerCommands } from './commands/calls/blocked-callers.js';
import { addFraudCommands } from './commands/calls/fraud.js';
import { addBrandCommands } from './commands/brands.js';
import { addCallCommand } from './commands/calls/call.js';
import { addCallsCommands } from './commands/calls/calls.js';
import { addEngineCommands } from './commands/engines.js';
import { addFlagCommands } from './commands/flags.js';
import { addFlowCommands } from './commands/flows.js';
import { addFreeswitchConfigCommand } from './commands/freeswitch-config.js';
import { addHandoverCommand } from './commands/handover.js';
import { addInvoiceCommands } from './commands/invoices.js';
import { addKeyCommands } from './commands/keys.js';
import { addListenCommand } from './commands/listen.js';
import { addNumberCommands } from './commands/numbers.js';
import { addOrganizationCommands } from './commands/organizations.js';
import { addPaymentCommands } from './commands/payments.js';
import { addPortingCommands } from './commands/porting.js';
import { addProjectCommands } from './commands/projects.js';
import { addQueueCommands } from './commands/queues.js';
import { addRateCommands } from './commands/rates.js';
import { addRecordingCommands } from './commands/recordings.js';
import { addRefusedCallsCommand } from './commands/calls/refused-calls.js';
import { addSipTargetCommands } from './commands/sip-targets.js';
import { addStatusCommand } from './commands/status.js';
import { addTrunkCommands } from './commands/trunks.js';
import { addVoicemailCommands } from './commands/voicemail.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addWidgetCommands } from './commands/widgets.js';
import type { CliContext } from './common/context.js';
import { asCliError, EXIT } from './common/failure.js';

/**
 * Runs one command line (without the program's name).
 * @returns the exit code; see {@link EXIT}
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command('hatif')
    .description('the command line of Hatif')
    .version(context.version)
    .option('--json', 'print results as JSON', false)
    .option('--project <project>', 'id or name; required only if there are several')
    .showHelpAfterError('(hatif --help lists the commands)')
    .configureOutput({
      writeOut: (text) => context.output(false).out(text.trimEnd()),
      writeErr: (text) => context.output(false).note(text.trimEnd()),
    })
    .exitOverride();
  addStatusCommand(program, context);
  addCallCommand(program, context);
  addCallsCommands(program, context);
  addListenCommand(program, context);
  addKeyCommands(program, context);
  addNumberCommands(program, context);
  addFlowCommands(program, context);
  addPortingCommands(program, context);
  addAgentCommands(program, context);
  addQueueCommands(program, context);
  addVoicemailCommands(program, context);
  addBrandCommands(program, context);
  addTrunkCommands(program, context);
  addSipTargetCommands(program, context);
  addEngineCommands(program, context);
  addOrganizationCommands(program, context);
  addProjectCommands(program, context);
  addFlagCommands(program, context);
  addRecordingCommands(program, context);
  addRateCommands(program, context);
  addBillingCommands(program, context);
  addInvoiceCommands(program, context);
  addCdrCommands(program, context);
  addPaymentCommands(program, context);
  addWebhookCommands(program, context);
  addWidgetCommands(program, context);
  addAsteriskConfigCommand(program, context);
  addFreeswitchConfigCommand(program, context);
  addBackupCommands(program, context);
  addHandoverCommand(program, context);
  addRefusedCallsCommand(program, context);
  addBlockedCallerCommands(program, context);
  addFraudCommands(program, context);
  addAdministratorCommands(program, context);
  addAuditCommands(program, context);
  inherit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    const known = asCliError(error);
    if (!known) throw error;
    const note = context.output(false).note;
    note(known.message);
    if (known.hint !== null) note(known.hint);
    return known.exitCode;
  }
}

/** Makes commands accept the global options, and report errors as the program does. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent).exitOverride();
    if (command.commands.length === 0) {
      command.option('--json', 'print results as JSON').option('--project <project>', 'id or name of the project');
    }
    inherit(command);
  }
}
