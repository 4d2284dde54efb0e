import { Command, CommanderError } from 'commander';

import { addAdministratorCommands } from './commands/administration/administrators.js';
import { addAgentCommands } from './commands/agents.js';
import { addAsteriskConfigCommand } from './commands/asterisk-config.js';
import { addAuditCommands } from './commands/administration/audit.js';
import { addBackupCommands } from './commands/backup.js';
import { addBillingCommands } from './commands/billing/billing.js';
import { addCapsCommands } from './commands/billing/caps.js';
import { addCdrCommands } from './commands/billing/cdr.js';
import { addInvoiceCommands } from './commands/billing/invoices.js';
import { addPaymentCommands } from './commands/billing/payments.js';
import { addRateCommands } from './commands/billing/rates.js';
import { addBrandCommands } from './commands/brands.js';
import { addCatchMessagesCommand } from './commands/catch-messages.js';
import { addSenderCommands } from './commands/message-senders.js';
import { addCertificateCommands } from './commands/certificates.js';
import { addBlockedCallerCommands } from './commands/calls/blocked-callers.js';
import { addCallCommand } from './commands/calls/call.js';
import { addCallsCommands } from './commands/calls/calls.js';
import { addFraudCommands } from './commands/calls/fraud.js';
import { addRefusedCallsCommand } from './commands/calls/refused-calls.js';
import { addDrachtioConfigCommand } from './commands/drachtio-config.js';
import { addEngineCommands } from './commands/engines.js';
import { addFlagCommands } from './commands/flags.js';
import { addFlowCommands } from './commands/flows/flows.js';
import { addFreeswitchConfigCommand } from './commands/freeswitch-config.js';
import { addHandoverCommand } from './commands/handover.js';
import { addKeyCommands } from './commands/keys.js';
import { addListenCommand } from './commands/listen.js';
import { addNumberCommands } from './commands/numbers/numbers.js';
import { addPortingCommands } from './commands/numbers/porting.js';
import { addSipTargetCommands } from './commands/numbers/sip-targets.js';
import { addTrunkCommands } from './commands/trunks/trunks.js';
import { addOrganizationCommands } from './commands/organizations.js';
import { addProjectCommands } from './commands/projects.js';
import { addQueueCommands } from './commands/queues.js';
import { addSipCommands } from './commands/sip.js';
import { addRecordingCommands } from './commands/recordings.js';
import { addStatusCommand } from './commands/status.js';
import { addVoicemailCommands } from './commands/voicemail.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addWidgetCommands } from './commands/widgets.js';
import type { CliContext } from './common/context.js';
import { asCliError, EXIT } from './common/failure.js';
import { contextOf, installationOf, type InstallationOptions } from './common/installation.js';
import { LOCAL_COMMANDS } from './common/local-commands.js';

type Add = (program: Command, context: CliContext) => void;

/** The headings of `--help`, with the commands below each. */
const GROUPS: Readonly<Record<string, readonly Add[]>> = {
  'See what happens:': [
    addStatusCommand,
    addCallsCommands,
    addRefusedCallsCommand,
    addListenCommand,
    addCatchMessagesCommand,
    addWebhookCommands,
  ],
  'Calls:': [addCallCommand, addRecordingCommands, addBlockedCallerCommands, addFraudCommands],
  'Agents and call flows:': [
    addAgentCommands,
    addQueueCommands,
    addFlowCommands,
    addVoicemailCommands,
    addWidgetCommands,
  ],
  'Numbers and carriers:': [
    addNumberCommands,
    addPortingCommands,
    addTrunkCommands,
    addSipTargetCommands,
    addSipCommands,
  ],
  'Money:': [
    addRateCommands,
    addBillingCommands,
    addCapsCommands,
    addInvoiceCommands,
    addPaymentCommands,
    addCdrCommands,
  ],
  'Organizations and access:': [
    addOrganizationCommands,
    addProjectCommands,
    addKeyCommands,
    addFlagCommands,
    addBrandCommands,
    addSenderCommands,
    addAdministratorCommands,
    addAuditCommands,
  ],
  'The installation:': [
    addEngineCommands,
    addAsteriskConfigCommand,
    addFreeswitchConfigCommand,
    addDrachtioConfigCommand,
    addCertificateCommands,
    addBackupCommands,
    addHandoverCommand,
  ],
};

/**
 * Runs one command line (without the program's name).
 * @returns the exit code; see {@link EXIT}
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  try {
    await programOf(context).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    const known = asCliError(error);
    if (!known) throw error;
    const note = context.output(false).note;
    note(known.message);
    if (known.hint !== null) note(typeof known.hint === 'string' ? known.hint : known.hint(context.commands));
    return known.exitCode;
  }
}

/** All commands. They work on the installation that `--url` names, or on this one. */
export function programOf(context: CliContext): Command {
  const { hatif } = context.commands;
  let chosen = context;
  const program = new Command(hatif())
    .description('Operates an installation of Hatif. Each command lists its options with --help.')
    .version(context.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .option('--json', 'print results as JSON', false)
    .option('--project <project>', 'id or name; required only if there are several')
    .option('--url <address>', `${URL_HELP}; HATIF_ADMIN_TOKEN holds the token of an administrator`)
    .option('--ca <file>', CA_HELP)
    .showHelpAfterError(`(${hatif('--help')} lists the commands)`)
    .configureOutput({
      writeOut: (text) => context.output(false).out(text.trimEnd()),
      writeErr: (text) => context.output(false).note(text.trimEnd()),
    })
    .exitOverride()
    .hook('preAction', (_, command) => {
      const options = command.optsWithGlobals<InstallationOptions>();
      chosen = contextOf(context, installationOf(options, wordsOf(command)));
    });
  const late: CliContext = {
    ...context,
    withPlatform: (work) => chosen.withPlatform(work),
    api: (choice) => chosen.api(choice),
  };
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, late);
  }
  inherit(program, hatif());
  return program.helpCommand('help [command]', 'show the help of a command');
}

const URL_HELP = 'work on the installation at this address instead of the one here';
const CA_HELP = 'with --url: the certificate of the authority that signed its certificate';

/** The words of a command, without the program's name. */
export function wordsOf(command: Command): string {
  if (command.parent === null) return '';
  return `${wordsOf(command.parent)} ${command.name()}`.trim();
}

/** Makes commands accept the global options, and report errors as the program does. @param path names the parent */
function inherit(parent: Command, path: string): void {
  for (const command of parent.commands) {
    const own = `${path} ${command.name()}`;
    command
      .copyInheritedSettings(parent)
      .exitOverride()
      .showHelpAfterError(`(${own} --help lists its ${command.commands.length === 0 ? 'options' : 'commands'})`);
    if (command.commands.length === 0) {
      command.option('--json', 'print results as JSON');
      // The key of the API decides about the project.
      const hasKey = command.options.some(({ long }) => long === '--key');
      if (!hasKey) command.option('--project <project>', 'id or name of the project');
      if (LOCAL_COMMANDS[wordsOf(command)] === undefined) {
        command.option('--url <address>', URL_HELP).option('--ca <file>', CA_HELP);
      }
    } else {
      command.helpCommand(false);
    }
    inherit(command, own);
  }
}
