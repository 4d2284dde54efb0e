import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface Options extends Shared {
  readonly name: string;
  readonly application?: string;
  readonly eslBind: string;
  readonly eslPort: string;
  readonly eslAllow: string;
  readonly ws: string;
  readonly music: string;
  readonly details: string;
  readonly legEnds: string;
  readonly mode: string;
}

export function addFreeswitchConfigCommand(program: Command, context: CliContext): void {
  program
    .command('freeswitch-config')
    .description('write the configuration of an external FreeSWITCH, from the SIP_, RTP_ and other settings')
    .argument('<folder>', 'folder for `freeswitch -conf`')
    .option('--name <name>', `name of the engine, as in: ${context.commands.hatif('engines add <name>')}`, 'freeswitch')
    .option(
      '--application <urls>',
      'how it reaches the API: http://host:port,… of each process, the nearest first; by default PORT on this machine',
    )
    .option(
      '--esl-bind <address>',
      'address of its event socket, which must not be reachable from outside',
      '127.0.0.1',
    )
    .option(
      '--esl-port <port>',
      'port of its event socket; the password is prompted for, or read from standard input',
      '8021',
    )
    .option('--esl-allow <networks>', 'networks that may connect to it besides this machine: 10.0.0.0/24,…', '')
    .option(
      '--ws <host:port>',
      'where it takes SIP over WebSocket from the API, for browsers; it must not be reachable from outside',
      '127.0.0.1:5066',
    )
    .option('--music <folder>', 'folder of WAV files for held calls', '/usr/share/freeswitch/sounds/music/8000')
    .option(
      '--details <folder>',
      'folder for records of ended legs, from which calls that ended while no process listened get their times',
      '/var/log/freeswitch/ended',
    )
    .option('--leg-ends <how>', 'how it records them: file (mod_cdr_csv), or http (mod_json_cdr)', 'file')
    .option('--mode <mode>', 'mode of the file, octal; it holds passwords', '640')
    .action(async (folder: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const mode = /^[0-7]{3}$/.test(options.mode) ? Number.parseInt(options.mode, 8) : null;
      const eslPort = Number(options.eslPort);
      if (mode === null) throw new CliError('--mode: must be three octal digits.', EXIT.usage);
      if (!(Number.isInteger(eslPort) && eslPort > 0 && eslPort < 65_536)) {
        throw new CliError('--esl-port: must be 1 to 65535.', EXIT.usage);
      }
      const { legEnds } = options;
      if (legEnds !== 'file' && legEnds !== 'http') throw new CliError('--leg-ends: must be file or http.', EXIT.usage);
      const networks = options.eslAllow.split(',').filter((network) => network !== '');
      if (networks.some((network) => !/^[\da-f.:]+\/\d{1,3}$/i.test(network))) {
        throw new CliError('--esl-allow: must be networks such as 10.0.0.0/24, separated by commas.', EXIT.usage);
      }
      const applications = options.application?.split(',') ?? null;
      if (applications?.some((url) => !/^https?:\/\//.test(url) || !URL.canParse(url)) === true) {
        throw new CliError('--application: must be http://host:port; several are separated by commas.', EXIT.usage);
      }
      const [, wsBind = '', wsPort] = /^(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})$/i.exec(options.ws) ?? [];
      if (!(Number(wsPort) > 0 && Number(wsPort) < 65_536)) {
        throw new CliError('--ws: must be host:port.', EXIT.usage);
      }
      const password = await context.readSecret('Password for the event socket: ');
      if (password === '') throw new CliError('No password was given.');
      const file = await context.writeFreeswitchConfig({
        folder,
        name: options.name,
        applications,
        eventSocket: { bind: options.eslBind, port: eslPort, password, allow: networks },
        webSocket: { bind: wsBind.replace(/^\[|\]$/g, ''), port: Number(wsPort) },
        musicDir: options.music,
        detailDir: options.details,
        legEnds,
        mode,
      });
      result(context.output(options.json), { file }, `Wrote ${file}.`);
    });
}
