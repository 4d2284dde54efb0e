import type { Command } from 'commander';

import type { CliContext } from '../../common/context.js';
import { fields, plain, result, table } from '../../common/output.js';
import { readTime, type Shared } from '../../common/options.js';

interface CreateOptions extends Shared {
  readonly email: string;
  readonly name: string;
}

interface TokenOptions extends CreateOptions {
  readonly expires?: string;
}

export function addAdministratorCommands(program: Command, context: CliContext): void {
  const admin = program.command('admin').description('administrators of the installation');

  admin
    .command('create')
    .description('create an administrator; the password is read from the terminal or from standard input')
    .requiredOption('--email <address>', 'e-mail address, with which the administrator signs in')
    .requiredOption('--name <name>', 'name of the person')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      return context.withPlatform(async (platform) => {
        const { email, name } = options;
        const password = await context.readSecret('Password: ');
        const made = await platform.administrators.create({ email, name, password });
        const shown = fields({ id: made.id, email: made.email, name: made.name });
        result(context.output(options.json), made, `${shown}\n\nSign in: POST /v1/admin/sessions`);
      });
    });

  const tokens = admin.command('token').description('tokens with which scripts use the routes of administrators');

  tokens
    .command('create')
    .description('create a token and show it once')
    .requiredOption('--email <address>', 'address of the administrator whose rights the script has')
    .requiredOption('--name <name>', 'name of the token')
    .option('--expires <time>', 'when it expires: 2027-01-31, or with time and offset; never by default')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<TokenOptions>();
      return context.withPlatform(async (platform) => {
        const { token, view } = await platform.scriptTokens.create({
          email: options.email,
          name: options.name,
          expiresAt: options.expires === undefined ? null : readTime('--expires', options.expires),
        });
        const shown = fields({ token, id: view.id, name: view.name, expires: view.expires_at });
        const hint = 'Keep the token now: it is not shown again.';
        result(context.output(options.json), { token, ...view }, `${shown}\n\n${hint}`);
      });
    });

  tokens
    .command('list')
    .description('list the tokens for scripts, including revoked ones')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.scriptTokens.list();
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            NAME: (row) => row.name,
            TOKEN: (row) => `${row.prefix}…`,
            STATUS: (row) => row.status,
            EXPIRES: (row) => row.expires_at,
            'LAST USED': (row) => row.last_used_at,
          },
          `There is no token yet: ${context.commands.hatif('admin token create --email <address> --name <name>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  tokens
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', `its id, as \`${context.commands.hatif('admin token list')}\` shows it`)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const view = await platform.scriptTokens.revoke(id);
        const shown = `The token ${plain(view.name ?? '')} (${view.prefix}…) is revoked.`;
        result(context.output(options.json), view, shown);
      });
    });
}
