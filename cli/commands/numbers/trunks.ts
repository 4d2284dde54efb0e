import type { Command } from 'commander';

import type { WatchedTrunk } from '../../../core/services/trunks/trunks.js';
import type { CliContext } from '../../common/context.js';
import { CliError } from '../../common/failure.js';
import { plain, result, table } from '../../common/output.js';
import { commaList, type Shared } from '../../common/options.js';

interface AddOptions extends Shared {
  readonly username?: string;
  readonly inbound?: string[];
  readonly foreign: boolean;
  readonly default?: true;
  readonly probe: boolean;
}

export function addTrunkCommands(program: Command, context: CliContext): void {
  const trunks = program.command('trunks').description('add, list and remove SIP trunks to the telephone network');

  trunks
    .command('add')
    .description('add a trunk; the first one becomes the default for outbound calls')
    .argument('<name>')
    .argument('<address>', 'sip:host[:port][;transport=udp|tcp|tls], or sips:')
    .option(
      '--username <name>',
      'user name for digest authentication; the password is prompted for, or read from standard input',
    )
    .option('--inbound <addresses>', 'sources of its incoming calls: addresses, address:port or CIDR ranges', commaList)
    .option('--no-foreign', 'allow only calls to the home country')
    .option('--no-probe', 'do not ask it with OPTIONS whether it answers: some carriers do not answer them')
    .option('--default', 'make it the default for outbound calls')
    .action(async (name: string, uri: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const credentials = options.username === undefined ? null : await readCredentials(context, options.username);
      await context.withPlatform(async (platform) => {
        const trunk = await platform.trunks.add({
          name,
          uri,
          foreignNumbers: options.foreign,
          isProbed: options.probe,
          ...(credentials && { credentials }),
          ...(options.inbound && { inboundAddresses: options.inbound }),
          ...(options.default && { isDefault: true }),
        });
        const inbound =
          trunk.inbound_addresses.length > 0
            ? `Calls from ${trunk.inbound_addresses.join(', ')} are accepted.`
            : 'Calls from it are refused: no --inbound address was given.';
        const way = trunk.is_default ? 'It is the default for outbound calls' : 'It is not the default';
        result(context.output(options.json), trunk, `Added ${trunk.name}. ${way}. ${inbound}`);
      });
    });

  trunks
    .command('list')
    .description('list all trunks, and whether they answer')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.trunks.listWatched();
        const shown = table(
          rows,
          {
            NAME: (trunk) => trunk.name,
            HOST: (trunk) => trunk.host,
            PORT: (trunk) => trunk.port,
            TRANSPORT: (trunk) => trunk.transport,
            USERNAME: (trunk) => trunk.username,
            INBOUND: (trunk) => trunk.inbound_addresses,
            FOREIGN: (trunk) => trunk.foreign_numbers,
            DEFAULT: (trunk) => trunk.is_default,
            STATE: stateOf,
          },
          `There is no trunk yet: ${context.commands.hatif('trunks add <name> sip:<host>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  trunks
    .command('remove')
    .description('remove a trunk that no live call uses')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const removed = await platform.removal.trunk(name);
        if (!removed) throw new CliError(`There is no trunk ${plain(name)}.`);
        const way = removed.wasDefault ? ' Outbound calls have no default trunk now.' : '';
        result(context.output(options.json), { name, removed: true }, `Removed ${plain(name)}.${way}`);
      });
    });
}

/** The state, and the engines for which it differs. */
function stateOf({ state, engines }: WatchedTrunk): string {
  const shown = (one: WatchedTrunk['state']): string => one.replace('_', ' ');
  const others = engines.filter((one) => one.state !== state).map((one) => `${shown(one.state)} on ${one.engine}`);
  return [shown(state), ...others].join(', ');
}

/** Not an option: passwords on the command line appear in the process list and in the shell's history. */
async function readCredentials(
  context: CliContext,
  username: string,
): Promise<{ readonly username: string; readonly password: string }> {
  const password = await context.readSecret('SIP password of the trunk: ');
  if (password === '') throw new CliError('No password was given.');
  return { username, password };
}
