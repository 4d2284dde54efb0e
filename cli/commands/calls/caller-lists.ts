import type { Command } from 'commander';

import type { CallerListOwner } from '../../../core/data/repositories/numbers/caller-list.js';
import type { CallerEntryRow } from '../../../core/data/rows.js';
import { isId } from '../../../core/model/ids.js';
import {
  MAX_BLOCKED_NOTE,
  readBlockedNumber,
  readBlockedPrefix,
  type BlockedEntry,
} from '../../../core/model/number/blocked-caller.js';
import { projectOf, type CliContext, type Platform } from '../../common/context.js';
import { CliError, EXIT, type Hint } from '../../common/failure.js';
import type { Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';

interface ListOptions extends Shared {
  readonly agent?: string;
}

interface AddOptions extends ListOptions {
  readonly prefix?: boolean;
  readonly note?: string;
}

const WITHHELD = 'withheld';

/** A list of callers: its name as a command, and what an entry on it is. */
export interface CallerListKind<Row extends CallerEntryRow> {
  readonly command: 'blocked-callers' | 'allowed-callers';
  readonly isOnIt: 'blocked' | 'allowed';
  readonly adds: string;
  readonly of: (platform: Platform) => ListOfPlatform<Row>;
  /** Beside those that every list has. */
  readonly columns: Readonly<Record<string, (row: Row) => string | number | Date | null>>;
}

interface ListOfPlatform<Row> {
  all(owner: CallerListOwner): Promise<Row[]>;
  add(owner: CallerListOwner, entry: BlockedEntry, note: string | null): Promise<{ row: Row; isNew: boolean }>;
  remove(owner: CallerListOwner, id: string): Promise<void>;
}

/** Adds `list`, `add` and `remove`. Without `--project`, they are about the list of the installation. */
export function addCallerListCommands<Row extends CallerEntryRow>(
  parent: Command,
  context: CliContext,
  { command: name, isOnIt, adds, of, columns }: CallerListKind<Row>,
): void {
  const listShows: Hint = ({ hatif }) =>
    `${hatif(`${name} list`)} shows the IDs; --project and --agent name the list of a project or an agent.`;

  parent
    .command('list')
    .description('list the entries, the last ones first')
    .option('--agent <extension>', 'of this agent of the project')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      return context.withPlatform(async (platform) => {
        const rows = await of(platform).all(ownerOf(platform, options));
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            [isOnIt === 'blocked' ? 'BLOCKS' : 'ALLOWS']: shownEntry,
            NOTE: (row) => row.note,
            ...columns,
            SINCE: (row) => row.created_at,
          },
          noneOn(options, name, isOnIt, context),
        );
        result(context.output(options.json), rows, shown);
      });
    });

  parent
    .command('add')
    .description(`${adds}; live calls continue`)
    .argument('<caller>', `a number, or ${WITHHELD} for all callers without a number`)
    .option('--prefix', 'all numbers that begin with these digits, at least three: +4420')
    .option('--note <text>', `a note of at most ${MAX_BLOCKED_NOTE} characters`)
    .option('--agent <extension>', 'for this agent of the project alone')
    .action((caller: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const entry = readEntry(caller, options.prefix === true);
      const note = readNote(options.note);
      return context.withPlatform(async (platform) => {
        const { row, isNew } = await of(platform).add(ownerOf(platform, options), entry, note);
        const is = isNew ? isOnIt : `${isOnIt} already`;
        result(context.output(options.json), row, `${shownEntry(row)}: ${is} for ${whose(options)} (${row.id}).`);
      });
    });

  parent
    .command('remove')
    .description('remove an entry')
    .argument('<id>')
    .option('--agent <extension>', 'of this agent of the project')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      if (!isId(id)) throw new CliError(`${plain(id)} is not the ID of an entry.`, EXIT.usage, listShows);
      return context.withPlatform(async (platform) => {
        await of(platform).remove(ownerOf(platform, options), id);
        result(context.output(options.json), { id, removed: true }, `Removed ${id}.`);
      });
    });
}

/** Each project has a list of its own, which the empty list of the installation must not hide. */
function noneOn(options: ListOptions, name: string, isOnIt: string, { commands }: CliContext): string {
  const isOfAll = options.project === undefined && options.agent === undefined;
  const of = isOfAll ? 'the whole installation' : whose(options);
  const others = isOfAll ? '\n--project shows the list of a project.' : '';
  return `No caller is ${isOnIt} for ${of}: ${commands.hatif(`${name} add <caller>`)}${others}`;
}

function whose({ project, agent }: ListOptions): string {
  if (agent !== undefined) return `the agent ${plain(agent)}`;
  return project === undefined ? 'the installation' : plain(project);
}

/** The live list of the project or of its agent, or that of the installation. */
function ownerOf(platform: Platform, { project, agent }: ListOptions): CallerListOwner {
  if (project === undefined && agent === undefined) return { projectId: null, sandbox: false };
  return { projectId: projectOf(platform, project).id, sandbox: false, agent: agent ?? null };
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
