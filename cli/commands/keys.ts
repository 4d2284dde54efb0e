import type { Command } from 'commander';

import { projectOf, type CliContext } from '../common/context.js';
import { fields, plain, result, table } from '../common/output.js';
import { commaList, readNumber, readTime, type Shared } from '../common/options.js';

interface CreateOptions extends Shared {
  readonly name: string;
  readonly sandbox?: true;
  readonly scopes?: string[];
  readonly allowIp?: string[];
  readonly rateLimit?: string;
  readonly expires?: string;
}

export function addKeyCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('create a key and show it once')
    .requiredOption('--name <name>', 'name of the key')
    .option('--sandbox', 'create a sandbox key instead of a live one')
    .option('--scopes <scopes>', 'scopes, separated by commas; all except pii:read by default', commaList)
    .option('--allow-ip <addresses>', 'addresses or CIDR ranges that may use it; any by default', commaList)
    .option('--rate-limit <requests>', 'requests per minute, instead of the default of its kind')
    .option('--expires <time>', 'when it expires: 2027-01-31, or with time and offset')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      return context.withPlatform(async (platform) => {
        const { key, view } = await platform.keys.create({
          projectId: projectOf(platform, options.project).id,
          name: options.name,
          kind: options.sandbox ? 'sandbox' : 'live',
          ...(options.scopes && { scopes: options.scopes }),
          ...(options.allowIp && { allowedIps: options.allowIp }),
          rateLimitPerMinute: options.rateLimit === undefined ? null : readNumber('--rate-limit', options.rateLimit),
          expiresAt: options.expires === undefined ? null : readTime('--expires', options.expires),
        });
        const shown = fields({ key, id: view.id, name: view.name, kind: view.kind, expires: view.expires_at });
        result(context.output(options.json), { key, ...view }, `${shown}\n\nKeep the key now: it is not shown again.`);
      });
    });

  keys
    .command('list')
    .description('list the keys of a project, including revoked ones')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.keys.list(projectOf(platform, options.project).id);
        const shown = table(
          rows,
          {
            ID: (key) => key.id,
            NAME: (key) => key.name,
            KEY: (key) => `${key.prefix}…`,
            STATUS: (key) => key.status,
            EXPIRES: (key) => key.expires_at,
            'LAST USED': (key) => key.last_used_at,
            ADDRESSES: (key) => key.allowed_ips,
          },
          `There is no key yet: ${context.commands.hatif('keys create --name <name>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  keys
    .command('revoke')
    .description('revoke a key; running processes refuse it within seconds')
    .argument('<id>', `its id, as \`${context.commands.hatif('keys list')}\` shows it`)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const view = await platform.keys.revoke(projectOf(platform, options.project).id, id);
        result(context.output(options.json), view, `The key ${plain(view.name)} (${view.prefix}…) is revoked.`);
      });
    });
}
