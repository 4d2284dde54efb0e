import type { Command } from 'commander';

import type { NumberRow } from '../../core/data/rows.js';
import type { Binding } from '../../core/services/numbers/numbers.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result, table } from '../common/output.js';
import { addNumberImport } from './number-import.js';
import type { Shared } from '../common/options.js';

interface AddOptions extends Shared {
  readonly bind?: string;
}

export const WHERE = 'agent:<extension>, queue:<name>, number:<number>, sip:<address>, echo or none';

export function addNumberCommands(program: Command, context: CliContext): void {
  const numbers = program.command('numbers').description('numbers, and the destinations of calls to them');

  numbers
    .command('add')
    .description('add a number whose calls arrive by a trunk')
    .argument('<number>', 'E.164, or Saudi national form')
    .option('--bind <where>', WHERE)
    .action((number: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const binding = options.bind === undefined ? null : readBinding(options.bind);
      return context.withPlatform(async (platform) => {
        const row = await platform.numbers.add(projectOf(platform, options.project), number, binding);
        result(context.output(options.json), row, `Added ${row.e164}; calls to it reach ${where(row)}.`);
      });
    });

  numbers
    .command('list')
    .description('list the numbers of a project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const rows = await platform.numbers.list(project.id);
        const shown = table(
          rows,
          {
            NUMBER: (row) => row.e164,
            REACHES: where,
            MAIN: (row) => row.e164 === project.main_number,
            STATE: (row) => row.state,
          },
          'There is no number yet: hatif numbers add <number>',
        );
        result(context.output(options.json), rows, shown);
      });
    });

  numbers
    .command('bind')
    .description('set the destination of calls to a number')
    .argument('<number>')
    .argument('<where>', WHERE)
    .action((number: string, text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const row = await platform.numbers.bind(projectOf(platform, options.project).id, number, readBinding(text));
        result(context.output(options.json), row, `Calls to ${row.e164} reach ${where(row)}.`);
      });
    });

  numbers
    .command('remove')
    .description('release a number that nothing uses: it has no destination, live call or end user')
    .argument('<number>')
    .action((number: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { e164 } = await platform.removal.number(projectOf(platform, options.project).id, number);
        result(context.output(options.json), { number: e164, removed: true }, `Removed ${e164}.`);
      });
    });

  addNumberImport(numbers, context);

  numbers
    .command('callbacks')
    .description('set the destination of customers who are called back without a queue')
    .argument('<where>', WHERE)
    .action((text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        const binding = await platform.numbers.setDefaultDestination(id, readBinding(text));
        const shown = `Customers who are called back are connected to ${where({ binding })}.`;
        result(context.output(options.json), { default_destination: binding }, shown);
      });
    });
}

export function readBinding(text: string): Binding | null {
  if (text === 'none') return null;
  if (text === 'echo') return { type: 'echo', target: null };
  const [, type, target] = /^(agent|queue|number|sips?):(.+)$/.exec(text) ?? [];
  if (target !== undefined) {
    if (type === 'agent' || type === 'queue' || type === 'number') return { type, target };
    return { type: 'sip', target: text };
  }
  throw new CliError(`"${text}" is not a destination.`, EXIT.usage, `Destinations: ${WHERE}`);
}

export function where({ binding }: Pick<NumberRow, 'binding'>): string {
  if (binding === null) return 'nothing';
  if (binding.target === null) return binding.type;
  return binding.type === 'sip' ? binding.target : `${binding.type} ${binding.target}`;
}
