import type { Command } from 'commander';

import type { CliContext, Platform } from '../common/context.js';
import { CliError } from '../common/failure.js';
import type { Shared } from '../common/options.js';
import { plain, result, table } from '../common/output.js';

interface NetworkOptions extends Shared {
  readonly note?: string;
}

/** Commands about the SIP edge. */
export function addSipCommands(program: Command, context: CliContext): void {
  const sip = program.command('sip').description('see and change who is kept out of the SIP edge');

  sip
    .command('blocked')
    .description('list the addresses and users that are locked out now, the last ones first')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await guardsOf(platform).blocked();
        const shown = table(
          rows,
          {
            BLOCKED: (row) => `${row.kind} ${row.subject}`,
            BECAUSE: (row) => (row.reason === 'scanner' ? 'a scanner' : 'wrong passwords'),
            TIME: (row) => String(row.times),
            SINCE: (row) => row.locked_at,
            UNTIL: (row) => row.locked_until,
          },
          'Nobody is locked out.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  sip
    .command('release')
    .description('end a lockout; the edge serves the address or user again within seconds')
    .argument('<subject>', 'an address or a user, as `sip blocked` shows it')
    .action((subject: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const isReleased = await guardsOf(platform).release(subject);
        if (!isReleased) throw new CliError(`${plain(subject)} was not locked out.`);
        result(context.output(options.json), { subject, released: true }, `Released ${plain(subject)}.`);
      });
    });

  for (const [rule, description] of [
    ['allow', 'never lock out an address or a network'],
    ['deny', 'never serve an address or a network; calls in progress continue'],
  ] as const) {
    sip
      .command(rule)
      .description(description)
      .argument('<network>', 'an address, or a network such as 192.0.2.0/24')
      .option('--note <text>', 'a note for the list')
      .action((network: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<NetworkOptions>();
        return context.withPlatform(async (platform) => {
          const row = await guardsOf(platform).put(network, rule, options.note ?? null);
          result(context.output(options.json), row, `${row.network}: ${rule}.`);
        });
      });
  }

  sip
    .command('networks')
    .description('list the allowed and denied networks')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await guardsOf(platform).networks();
        const shown = table(
          rows,
          {
            NETWORK: (row) => row.network,
            RULE: (row) => row.rule,
            NOTE: (row) => row.note,
            SINCE: (row) => row.created_at,
          },
          'No network is listed.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  sip
    .command('remove')
    .description('remove an address or a network from its list')
    .argument('<network>')
    .action((network: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        if (!(await guardsOf(platform).remove(network))) throw new CliError(`${plain(network)} was on no list.`);
        result(context.output(options.json), { network, removed: true }, `Removed ${plain(network)}.`);
      });
    });
}

function guardsOf({ sipGuards }: Platform): NonNullable<Platform['sipGuards']> {
  if (sipGuards === null) throw new CliError('Only the machine of the installation has these commands.');
  return sipGuards;
}
