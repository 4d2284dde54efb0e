import type { Command } from 'commander';

import type { NumberRow } from '../../../core/data/rows.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import { projectOf, type CliContext, type Platform } from '../../common/context.js';
import { destinationNames, destinationOf, noteRefusedSip, WHERE } from '../../common/destinations.js';
import { CliError, EXIT } from '../../common/failure.js';
import { plain, result, table } from '../../common/output.js';
import { addNumberImport } from './number-import.js';
import type { Shared } from '../../common/options.js';

/** How many numbers an error lists. */
const LISTED = 20;

interface AddOptions extends Shared {
  readonly bind?: string;
}

export function addNumberCommands(program: Command, context: CliContext): void {
  const numbers = program
    .command('numbers')
    .description('add, list and remove numbers, and set where calls to them go');

  numbers
    .command('add')
    .description('add a number whose calls arrive by a trunk')
    .argument('<number>', 'E.164, or Saudi national form')
    .option('--bind <where>', WHERE)
    .action((number: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const reach = { projectId: project.id, sandbox: false };
        const binding = options.bind === undefined ? null : await destinationOf(platform, reach, options.bind);
        const row = await platform.numbers.add(project, number, binding);
        const where = await destinationNames(platform, project.id);
        result(context.output(options.json), row, `Added ${row.e164}; calls to it reach ${where(row.binding)}.`);
        await noteRefusedSip(platform, context, binding);
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
        const where = await destinationNames(platform, project.id);
        const shown = table(
          rows,
          {
            NUMBER: (row) => row.e164,
            REACHES: (row) => where(row.binding),
            MAIN: (row) => row.e164 === project.main_number,
            STATE: (row) => row.state,
          },
          `There is no number yet: ${context.commands.hatif('numbers add <number>')}`,
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
        const { id: projectId } = projectOf(platform, options.project);
        const { e164, sandbox } = await numberOf(platform, projectId, number);
        const binding = await destinationOf(platform, { projectId, sandbox }, text);
        const row = await platform.numbers.bind(projectId, e164, binding);
        const where = await destinationNames(platform, projectId);
        result(context.output(options.json), row, `Calls to ${row.e164} reach ${where(row.binding)}.`);
        await noteRefusedSip(platform, context, binding);
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
        const wanted = await destinationOf(platform, { projectId: id, sandbox: false }, text);
        const binding = await platform.numbers.setDefaultDestination(id, wanted);
        const where = await destinationNames(platform, id);
        const shown = `Customers who are called back are connected to ${where(binding)}.`;
        result(context.output(options.json), { default_destination: binding }, shown);
        await noteRefusedSip(platform, context, binding);
      });
    });
}

/** One of the project's numbers. @throws CliError that lists the numbers */
async function numberOf(platform: Platform, projectId: string, text: string): Promise<NumberRow> {
  const e164 = parseNumber(text, { allowForeign: true })?.e164;
  const rows = await platform.numbers.list(projectId);
  const found = rows.find((row) => row.e164 === e164);
  if (found) return found;
  const listed = rows.slice(0, LISTED).map((row) => row.e164);
  const more = rows.length > LISTED ? `, and ${rows.length - LISTED} more` : '';
  const problem = e164 === undefined ? `"${plain(text)}" is not a phone number.` : `The project has no number ${e164}.`;
  throw new CliError(problem, EXIT.failed, `Numbers: ${listed.length === 0 ? 'none' : listed.join(', ')}${more}`);
}
