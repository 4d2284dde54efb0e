/** Entry of the `hatif` command: reads the settings and runs one command line. */
import { EmbeddedError } from '../adapters/embedded/index.js';
import { readSettings } from '../config/read-settings.js';
import { SettingsError } from '../config/settings-error.js';
import { hasCode } from '../core/model/error-code.js';
import { openCommandLine } from './command/command-line.js';
import { EXIT } from '../cli/common/failure.js';
import { runCli } from '../cli/program.js';

/**
 * The first Ctrl-C stops the command, the second exits at once. npx sends every signal twice, so a repeated signal
 * counts only after a moment.
 */
function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    controller.abort();
    setTimeout(() => process.once('SIGINT', () => process.exit(130)), 500).unref();
    process.on('SIGINT', () => undefined);
  });
  return controller.signal;
}

async function main(): Promise<number> {
  try {
    const settings = readSettings(process.env);
    return await runCli(process.argv.slice(2), openCommandLine(settings, interruption()));
  } catch (error) {
    if (!(error instanceof SettingsError) && !(error instanceof EmbeddedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof SettingsError ? EXIT.usage : EXIT.unreachable;
  }
}

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', (error) => {
  if (hasCode(error, 'EPIPE')) process.exit(0);
  throw error;
});
process.exitCode = await main();
