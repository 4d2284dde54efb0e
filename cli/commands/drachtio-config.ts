import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface Options extends Shared {
  readonly adminBind: string;
  readonly mode: string;
}

export function addDrachtioConfigCommand(program: Command, context: CliContext): void {
  program
    .command('drachtio-config')
    .description('write the configuration of a drachtio-server for the SIP edge, from the SIP_ and DRACHTIO_ settings')
    .argument('<folder>', 'folder for drachtio.conf.xml')
    .option(
      '--admin-bind <address>',
      'address at which it accepts applications, which must not be reachable from outside',
      '127.0.0.1',
    )
    .option('--mode <mode>', 'mode of the files, octal; they hold the secret and the key', '640')
    .action(async (folder: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const mode = /^[0-7]{3}$/.test(options.mode) ? Number.parseInt(options.mode, 8) : null;
      if (mode === null) throw new CliError('--mode: must be three octal digits.', EXIT.usage);
      const file = await context.writeDrachtioConfig({ folder, adminBind: options.adminBind, mode });
      result(context.output(options.json), { file }, `Wrote ${file}.`);
    });
}
