import type { Command } from 'commander';
import { projectOf, type CliContext } from '../common/context.js';
import { result } from '../common/output.js';
import type { Shared } from '../common/options.js';

export function addVoicemailCommands(program: Command, context: CliContext): void {
  const voicemail = program.command('voicemail').description('set the PIN of a voicemail box');

  voicemail
    .command('pin')
    .description('set or remove the PIN for access to a box by phone (*98)')
    .argument('<number>')
    .argument('[pin]', '4 to 10 digits; without it the PIN is removed')
    .action((number: string, pin: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        await platform.voicemailPins.set(projectOf(platform, options.project).id, number, pin ?? null);
        const shown = pin === undefined ? 'The PIN is removed: the box cannot be used by phone.' : 'The PIN is set.';
        result(context.output(options.json), { number, has_pin: pin !== undefined }, shown);
      });
    });
}
