import { once } from 'node:events';
import type { Command } from 'commander';

import type { CaughtMessage } from '../../core/ports/messaging/message-catcher.js';
import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { readNumber, type Shared } from '../common/options.js';
import { cell } from '../common/output.js';

interface CatchOptions extends Shared {
  readonly smsPort: string;
  readonly mailPort: string;
  readonly count?: string;
}

export function addCatchMessagesCommand(program: Command, context: CliContext): void {
  program
    .command('catch-messages')
    .description('to try messages: run an SMSC and a mail server that show what they get and deliver nothing')
    .option('--sms-port <port>', 'port of the SMSC', '2775')
    .option('--mail-port <port>', 'port of the mail server', '2525')
    .option('--count <messages>', 'exit after this number of messages')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CatchOptions>();
      const output = context.output(options.json);
      const done = new AbortController();
      let left = options.count === undefined ? Infinity : readNumber('--count', options.count);
      const catcher = await context.catchMessages({
        smsPort: readPort('--sms-port', options.smsPort),
        mailPort: readPort('--mail-port', options.mailPort),
        onMessage: (message) => {
          if (left <= 0) return;
          output.out(options.json ? JSON.stringify(message) : shown(message));
          if ((left -= 1) <= 0) done.abort();
        },
        onProblem: (problem) => output.note(problem),
      });
      output.note(
        `Catching SMS at smpp://127.0.0.1:${catcher.smsPort} and mail at smtp://127.0.0.1:${catcher.mailPort}. ` +
          'Nothing leaves this machine. Ctrl-C ends.',
      );
      const over = AbortSignal.any([context.interrupted, done.signal]);
      if (!over.aborted) await once(over, 'abort');
      await catcher.close();
    });
}

/** The text below a line about the message, so that its direction is its own. */
function shown({ channel, from, to, subject, text, files }: CaughtMessage): string {
  const about = [channel.padEnd(5), cell(from), '→', cell(to), ...(subject === null ? [] : [cell(subject)])];
  return [
    about.join('  '),
    ...text.split('\n').map((line) => `       ${cell(line)}`),
    ...files.map((name) => `       [${cell(name)}]`),
  ].join('\n');
}

function readPort(option: string, text: string): number {
  const port = readNumber(option, text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CliError(`${option}: must be a port, or 0 for any free one.`, EXIT.usage);
}
