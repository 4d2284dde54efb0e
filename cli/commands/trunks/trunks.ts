import type { Command } from 'commander';

import type { WatchedTrunk } from '../../../core/services/trunks/trunks.js';
import type { CliContext } from '../../common/context.js';
import { CliError } from '../../common/failure.js';
import { fields, plain, result, table } from '../../common/output.js';
import type { Shared } from '../../common/options.js';
import { addTrunkFigureCommands } from './figures.js';
import { addTrunkRateCommands } from './rates.js';
import { addTrunkRouteCommands } from './routes.js';
import { readSettings, withSettings, type SettingsOptions } from './settings.js';

type AddOptions = Shared & SettingsOptions;

interface ChangeOptions extends AddOptions {
  readonly address?: string;
}

export function addTrunkCommands(program: Command, context: CliContext): void {
  const trunks = program
    .command('trunks')
    .description('manage SIP trunks to the telephone network, which calls take them, and what they cost');

  withSettings(
    trunks
      .command('add')
      .description('add a trunk; the first one becomes the default for outbound calls')
      .argument('<name>')
      .argument('<address>', 'sip:host[:port][;transport=udp|tcp|tls], or sips:'),
  ).action(async (name: string, uri: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<AddOptions>();
    const settings = await readSettings(context, options);
    await context.withPlatform(async (platform) => {
      const trunk = await platform.trunks.add({ name, uri, ...settings });
      const inbound =
        trunk.inbound_addresses.length > 0
          ? `Calls from ${trunk.inbound_addresses.join(', ')} are accepted.`
          : 'Calls from it are refused: no --inbound address was given.';
      const way = trunk.is_default ? 'It is the default for outbound calls' : 'It is not the default';
      result(context.output(options.json), trunk, `Added ${trunk.name}. ${way}. ${inbound}`);
    });
  });

  withSettings(
    trunks
      .command('set')
      .description('change a trunk; what is not named stays')
      .argument('<name>')
      .option('--address <address>', 'sip:host[:port][;transport=udp|tcp|tls], or sips:')
      .option('--no-credentials', 'without user name and password'),
  ).action(async (name: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<ChangeOptions>();
    const settings = await readSettings(context, options);
    await context.withPlatform(async (platform) => {
      const { address: uri } = options;
      const trunk = await platform.trunks.change(name, { ...settings, ...(uri !== undefined && { uri }) });
      const shown = trunk.enabled ? `Changed ${trunk.name}.` : `Changed ${trunk.name}. It is off.`;
      result(context.output(options.json), trunk, shown);
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
            CAPACITY: (trunk) => trunk.capacity,
            DEFAULT: (trunk) => trunk.is_default,
            STATE: stateOf,
          },
          `There is no trunk yet: ${context.commands.hatif('trunks add <name> sip:<host>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  trunks
    .command('show')
    .description('show a trunk with its rules')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const trunk = (await platform.trunks.listWatched()).find((one) => one.name === name);
        if (!trunk) throw noSuchTrunk(name);
        result(context.output(options.json), trunk, detailsOf(trunk));
      });
    });

  addTrunkFigureCommands(trunks, context);

  trunks
    .command('remove')
    .description('remove a trunk that no live call and no route uses')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const removed = await platform.removal.trunk(name);
        if (!removed) throw noSuchTrunk(name);
        const way = removed.wasDefault ? ' Outbound calls have no default trunk now.' : '';
        result(context.output(options.json), { name, removed: true }, `Removed ${plain(name)}.${way}`);
      });
    });

  addTrunkRouteCommands(trunks, context);
  addTrunkRateCommands(trunks, context);
}

function noSuchTrunk(name: string): CliError {
  return new CliError(`There is no trunk ${plain(name)}.`);
}

function detailsOf(trunk: WatchedTrunk): string {
  const { host, port, transport, caller_id, caller_id_number: number, asserted_identity } = trunk;
  const numberOf = (rule: string): string => (rule === 'fixed' ? (number ?? '') : rule);
  return fields({
    Name: trunk.name,
    Address: `${host}:${port} (${transport})`,
    State: stateOf(trunk),
    Default: trunk.is_default,
    'User name': trunk.username,
    Registers: trunk.registers,
    'Sources of its calls': trunk.inbound_addresses,
    'Numbers of other countries': trunk.foreign_numbers,
    'Calls at once': trunk.capacity ?? 'any number',
    Codecs: trunk.codecs ?? 'those of the installation',
    Digits: trunk.dtmf_mode,
    'Caller ID': numberOf(caller_id),
    'P-Asserted-Identity': numberOf(asserted_identity),
    'Privacy header': trunk.privacy,
    'Diversion header': trunk.diversion,
    Added: trunk.created_at,
  });
}

/** The state, and the engines for which it differs. */
function stateOf({ state, engines }: WatchedTrunk): string {
  const shown = (one: WatchedTrunk['state']): string => one.replace('_', ' ');
  const others = engines.filter((one) => one.state !== state).map((one) => `${shown(one.state)} on ${one.engine}`);
  return [shown(state), ...others].join(', ');
}
