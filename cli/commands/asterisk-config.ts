import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface Options extends Shared {
  readonly ariBind: string;
  readonly ariPort: string;
  readonly mode: string;
}

export function addAsteriskConfigCommand(program: Command, context: CliContext): void {
  program
    .command('asterisk-config')
    .description(
      'write the configuration of an external Asterisk (Debian’s folders), from the SIP_, RTP_ and ARI settings',
    )
    .argument('<folder>', 'folder that becomes its /etc/asterisk')
    .option('--ari-bind <address>', 'address of its ARI, which must not be reachable from outside', '127.0.0.1')
    .option('--ari-port <port>', 'port of its ARI', '8088')
    .option('--mode <mode>', 'mode of the files, octal; one of them holds the ARI password', '640')
    .action(async (folder: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const mode = /^[0-7]{3}$/.test(options.mode) ? Number.parseInt(options.mode, 8) : null;
      const ariPort = Number(options.ariPort);
      if (mode === null) throw new CliError('--mode: must be three octal digits.', EXIT.usage);
      if (!(Number.isInteger(ariPort) && ariPort > 0 && ariPort < 65_536)) {
        throw new CliError('--ari-port: must be 1 to 65535.', EXIT.usage);
      }
      const files = await context.writeAsteriskConfig({ folder, ariBind: options.ariBind, ariPort, mode });
      result(context.output(options.json), { folder, files }, `Wrote ${files.length} files to ${folder}.`);
    });
}
