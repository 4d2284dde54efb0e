import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError } from '../common/failure.js';
import type { Shared } from '../common/options.js';
import { fields, plain, result, table } from '../common/output.js';

interface NetworkOptions extends Shared {
  readonly note?: string;
}

interface BlockedOptions extends Shared {
  readonly addresses?: boolean;
}

const NETWORK = 'an address, a network such as 192.0.2.0/24, or a country such as SA';

/** Commands about the SIP edge. */
export function addSipCommands(program: Command, context: CliContext): void {
  const sip = program.command('sip').description('see the SIP edge, and see and change who is kept out of it');

  sip
    .command('status')
    .description('show the way in for phones and carriers, and what it cannot do')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async ({ sipGuards }) => {
        const edge = await sipGuards.edge();
        const listed = (features: readonly string[]): string => (features.length === 0 ? 'none' : features.join(', '));
        const shown = fields({
          'way in': edge.kind,
          features: listed(edge.features),
          unsupported: listed(edge.unsupported),
        });
        result(context.output(options.json), edge, shown);
      });
    });

  addLockoutCommands(sip, context);
  addNetworkCommands(sip, context);
}

function addLockoutCommands(sip: Command, context: CliContext): void {
  sip
    .command('blocked')
    .description('list the addresses and users that are locked out now, the last ones first')
    .option('--addresses', 'print nothing but the addresses, one a line, for a firewall')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<BlockedOptions>();
      return context.withPlatform(async ({ sipGuards }) => {
        const rows = await sipGuards.blocked();
        const addresses = rows.filter(({ kind }) => kind === 'address').map(({ subject }) => subject);
        const shown =
          options.addresses === true
            ? addresses.join('\n')
            : table(
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
        result(context.output(options.json), options.addresses === true ? addresses : rows, shown);
      });
    });

  sip
    .command('release')
    .description('end a lockout; the edge serves the address or user again within seconds')
    .argument('<subject>', 'an address or a user, as `sip blocked` shows it')
    .action((subject: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async ({ sipGuards }) => {
        const isReleased = await sipGuards.release(subject);
        if (!isReleased) throw new CliError(`${plain(subject)} was not locked out.`);
        result(context.output(options.json), { subject, released: true }, `Released ${plain(subject)}.`);
      });
    });

  sip
    .command('refused')
    .description('list how many requests were refused, by hour, reason and source, the last ones first')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async ({ sipGuards }) => {
        const rows = await sipGuards.refusals();
        const shown = table(
          rows,
          {
            HOUR: (row) => row.hour,
            SOURCE: (row) => row.source,
            COUNTRY: (row) => row.country,
            BECAUSE: (row) => row.reason,
            REQUESTS: (row) => String(row.requests),
            LAST: (row) => row.last_at,
          },
          'Nothing was refused.',
        );
        result(context.output(options.json), rows, shown);
      });
    });
}

function addNetworkCommands(sip: Command, context: CliContext): void {
  for (const [rule, description] of [
    ['allow', 'never lock out an address or a network; serve only the allowed countries'],
    ['deny', 'never serve an address, a network or a country; calls in progress continue'],
  ] as const) {
    sip
      .command(rule)
      .description(description)
      .argument('<network>', NETWORK)
      .option('--note <text>', 'a note for the list')
      .action((network: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<NetworkOptions>();
        return context.withPlatform(async ({ sipGuards }) => {
          const row = await sipGuards.put(network, rule, options.note ?? null);
          result(context.output(options.json), row, `${row.network}: ${rule}.`);
        });
      });
  }

  sip
    .command('networks')
    .description('list the allowed and denied networks and countries')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async ({ sipGuards }) => {
        const rows = await sipGuards.networks();
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
    .description('remove an address, a network or a country from its list')
    .argument('<network>')
    .action((network: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async ({ sipGuards }) => {
        if (!(await sipGuards.remove(network))) throw new CliError(`${plain(network)} was on no list.`);
        result(context.output(options.json), { network, removed: true }, `Removed ${plain(network)}.`);
      });
    });
}
