import type { Command } from 'commander';

import { ENGINE_KINDS, LIVE_KINDS, type TelephonyKind } from '../../core/model/engine-kinds.js';
import type { EngineView } from '../../core/services/engines/manage.js';
import type { CliContext } from '../common/context.js';
import { CliError } from '../common/failure.js';
import { plain, result, table } from '../common/output.js';
import { readNumber, type Shared } from '../common/options.js';

interface AddOptions extends Shared {
  readonly kind: string;
  readonly user: string;
  readonly sip?: string;
  readonly wsUrl?: string;
  readonly weight: string;
  readonly maxCalls?: string;
  readonly details?: string;
  readonly recordings?: string;
}

export function addEngineCommands(program: Command, context: CliContext): void {
  const engines = program
    .command('engines')
    .description('add, list, drain and remove telephony engines: Asterisk and FreeSWITCH');

  engines
    .command('add')
    .description('add an engine; the processes with the role engine share all engines')
    .argument('<name>')
    .argument('<address>', `of ${helpOf(({ addressHelp }) => addressHelp, '; of ')}`)
    .option('--kind <kind>', LIVE_KINDS.join(' or '), LIVE_KINDS[0])
    .option('--user <user>', 'user name of ARI; the password is prompted for, or read from standard input', 'hatif')
    .option('--sip <host:port>', 'its SIP address, for health checks and for calls from other engines to its phones')
    .option(
      '--ws-url <url>',
      'where it takes SIP over WebSocket from the platform, for browsers; needed for FreeSWITCH only',
    )
    .option('--weight <number>', 'its share of new calls relative to the weights of other engines', '1')
    .option('--max-calls <number>', 'maximum number of calls at the same time')
    .option('--details <path>', `its own record of its legs: ${helpOf(({ detailsHelp }) => detailsHelp, ', ')}`)
    .option(
      '--recordings <folder>',
      'folder in which FreeSWITCH records, at the same path for it and for the processes',
    )
    .action(async (name: string, address: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const password = await context.readSecret('Password of the engine: ');
      if (password === '') throw new CliError('No password was given.');
      await context.withPlatform(async (platform) => {
        const added = await platform.engines.add({
          name,
          address,
          kind: options.kind,
          user: options.user,
          password,
          sip: options.sip ?? null,
          wsUrl: options.wsUrl ?? null,
          weight: readNumber('--weight', options.weight),
          maxCalls: options.maxCalls === undefined ? null : readNumber('--max-calls', options.maxCalls),
          details: options.details ?? null,
          recordings: options.recordings ?? null,
        });
        const secret = await platform.engines.secretOf(added.name);
        const credentials = secret === null ? '' : `\nIts credentials for the API: ${added.name}:${secret}`;
        const shown = secret === null ? added : { ...added, secret };
        result(
          context.output(options.json),
          shown,
          `Added ${added.name}. A process takes it over within seconds.${credentials}`,
        );
      });
    });

  engines
    .command('list')
    .description('list all engines and their owners')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.engines.list();
        const shown = table(
          rows,
          {
            NAME: (engine) => engine.name,
            KIND: (engine) => engine.kind,
            STATUS: statusOf,
            SIP: ({ sip_host: host, sip_port: port }) => (host === null ? null : `${host}:${port ?? ''}`),
            CALLS: (engine) => engine.live_calls,
            MAX: (engine) => engine.max_calls,
            WEIGHT: (engine) => engine.weight,
            OWNER: ({ owner, leased }) => (leased && owner !== null ? owner.split(':').slice(0, 2).join(':') : null),
          },
          'There is no engine yet: the first start of the platform adds one.',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  engines
    .command('secret')
    .description(
      'show the secret with which a FreeSWITCH fetches softphones and trunks (gateway-credentials: name:secret)',
    )
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) =>
      context.withPlatform(async (platform) => {
        const { json } = command.optsWithGlobals<Shared>();
        const secret = await platform.engines.secretOf(name);
        if (secret === null) throw new CliError(`There is no FreeSWITCH ${plain(name)}.`);
        result(context.output(json), { name, secret }, secret);
      }),
    );

  engines
    .command('drain')
    .description('stop new calls on an engine; live calls continue')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) =>
      context.withPlatform(async (platform) => {
        const { json } = command.optsWithGlobals<Shared>();
        if (!(await platform.engines.drain(name))) throw unknown(name);
        const left = (await platform.engines.list()).find((engine) => engine.name === name)?.live_calls ?? 0;
        const text = `${plain(name)} takes no new calls; ${left} are live. ${context.commands.hatif('engines list')} shows their number.`;
        result(context.output(json), { name, draining: true, live_calls: left }, text);
      }),
    );

  engines
    .command('resume')
    .description('allow new calls on an engine again')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) =>
      context.withPlatform(async (platform) => {
        const { json } = command.optsWithGlobals<Shared>();
        if (!(await platform.engines.resume(name))) throw unknown(name);
        result(context.output(json), { name, draining: false }, `${plain(name)} takes calls again.`);
      }),
    );

  engines
    .command('remove')
    .description('remove an engine without calls')
    .argument('<name>')
    .action((name: string, _: unknown, command: Command) =>
      context.withPlatform(async (platform) => {
        const { json } = command.optsWithGlobals<Shared>();
        switch (await platform.engines.remove(name)) {
          case 'unknown':
            throw unknown(name);
          case 'busy':
            throw new CliError(
              `${plain(name)} still has calls, or recordings that are not stored yet.`,
              undefined,
              'Drain it first.',
            );
          case 'in settings':
            throw new CliError(`The settings of a running process name ${plain(name)}. Change them first.`);
          case 'removed':
            result(context.output(json), { name, removed: true }, `Removed ${plain(name)}.`);
        }
      }),
    );
}

/** A help text for each kind of engines that can be added. */
function helpOf(text: (kind: TelephonyKind) => string, separator: string): string {
  return LIVE_KINDS.flatMap((kind) => ENGINE_KINDS[kind] ?? [])
    .map(text)
    .join(separator);
}

function statusOf({ leased, status, sip_status: sip, draining, takes_calls: takesCalls }: EngineView): string {
  if (!leased) return 'no owner';
  if (status !== 'up') return 'unreachable';
  if (sip === 'down') return 'SIP down';
  if (draining) return 'draining';
  return takesCalls ? 'up' : 'full';
}

function unknown(name: string): CliError {
  return new CliError(`There is no engine ${plain(name)}.`);
}
