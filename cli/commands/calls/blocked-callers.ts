import type { Command } from 'commander';

import type { BlockListOwner } from '../../../core/data/repositories/numbers/blocked-callers.js';
import {
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
} from '../../../core/model/number/blocked-caller.js';
import { isId } from '../../../core/model/ids.js';
import { projectOf, type CliContext, type Platform } from '../../common/context.js';
import { CliError, EXIT, type Hint } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

interface AddOptions extends Shared {
  readonly prefix?: boolean;
  readonly note?: string;
}

const WITHHELD = 'withheld';

/** Without `--project`, the commands are about the list of the installation. */
export function addBlockedCallerCommands(program: Command, context: CliContext): void {
  const blocked = program
    .command('blocked-callers')
    .description('block callers: for the whole installation, or for a project (--project)');

  blocked
    .command('list')
    .description('list the entries, the last ones first')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = await platform.blockedCallers.all(ownerOf(platform, options.project));
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            BLOCKS: shownEntry,
            NOTE: (row) => row.note,
            SINCE: (row) => row.created_at,
          },
          noneBlocked(options.project, context),
        );
        result(context.output(options.json), rows, shown);
      });
    });

  blocked
    .command('add')
    .description('block a caller; live calls continue')
    .argument('<caller>', `a number, or ${WITHHELD} for all callers without a number`)
    .option('--prefix', 'block all numbers that begin with these digits, at least three: +4420')
    .option('--note <text>', `a note of at most ${MAX_BLOCKED_NOTE} characters`)
    .action((caller: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const entry = readEntry(caller, options.prefix === true);
      const note = readNote(options.note);
      return context.withPlatform(async (platform) => {
        const { row, isNew } = await platform.blockedCallers.add(ownerOf(platform, options.project), entry, note);
        const whose = options.project === undefined ? 'the installation' : plain(options.project);
        const said = `${shownEntry(row)}: ${isNew ? 'blocked' : 'blocked already'} for ${whose} (${row.id}).`;
        result(context.output(options.json), row, said);
      });
    });

  blocked
    .command('remove')
    .description('remove an entry')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      if (!isId(id)) throw new CliError(`${plain(id)} is not the ID of an entry.`, EXIT.usage, LIST_SHOWS);
      return context.withPlatform(async (platform) => {
        await platform.blockedCallers.remove(ownerOf(platform, options.project), id);
        result(context.output(options.json), { id, removed: true }, `Removed ${id}.`);
      });
    });
}

const LIST_SHOWS: Hint = ({ hatif }) =>
  `${hatif('blocked-callers list')} shows the IDs; --project names the list of a project.`;

/** Each project has a list of its own, which the empty list of the installation must not hide. */
function noneBlocked(project: string | undefined, { commands }: CliContext): string {
  const where = project === undefined ? 'for the whole installation' : `for ${plain(project)}`;
  const others = project === undefined ? '\n--project shows the list of a project.' : '';
  return `No caller is blocked ${where}: ${commands.hatif('blocked-callers add <caller>')}${others}`;
}

/** The live list of the project, or that of the installation. */
function ownerOf(platform: Platform, project: string | undefined): BlockListOwner {
  return { projectId: project === undefined ? null : projectOf(platform, project).id, sandbox: false };
}

function readEntry(caller: string, isPrefix: boolean): BlockedEntry {
  if (caller === WITHHELD && !isPrefix) return { kind: 'withheld', number: null };
  const number = isPrefix ? readBlockedPrefix(caller) : readBlockedNumber(caller);
  if (number !== null) return { kind: isPrefix ? 'prefix' : 'exact', number };
  const allowed = isPrefix
    ? 'the first digits of a number in E.164, at least three: +4420'
    : `a number such as +966501234567, or ${WITHHELD}; emergency numbers are never blocked`;
  throw new CliError(`${plain(caller)}: must be ${allowed}.`, EXIT.usage);
}

function readNote(text: string | undefined): string | null {
  const note = text?.trim() ?? '';
  if (note.length > MAX_BLOCKED_NOTE) {
    throw new CliError(`--note: must have at most ${MAX_BLOCKED_NOTE} characters.`, EXIT.usage);
  }
  return note === '' ? null : note;
}

function shownEntry({ kind, number }: BlockedEntry): string {
  if (number === null) return WITHHELD;
  return kind === 'prefix' ? `${number}…` : number;
}
