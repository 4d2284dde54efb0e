import { Argument, type Command } from 'commander';

import type { AllowedCallerRow, BlockedCallerRow } from '../../../core/data/rows.js';
import { BLOCKED_CALLER_ANSWERS, type BlockedCallerAnswer } from '../../../core/model/number/blocked-caller.js';
import { projectOf, type CliContext } from '../../common/context.js';
import type { Shared } from '../../common/options.js';
import { plain, result } from '../../common/output.js';
import { addCallerListCommands } from './caller-lists.js';

const INHERIT = 'inherit';

/** Who is blocked, what blocked callers get, and who never is blocked. */
export function addBlockedCallerCommands(program: Command, context: CliContext): void {
  const blocked = program
    .command('blocked-callers')
    .description('block callers: for the whole installation, a project (--project) or an agent (--agent)');
  addCallerListCommands<BlockedCallerRow>(blocked, context, {
    command: 'blocked-callers',
    isOnIt: 'blocked',
    adds: 'block a caller',
    of: (platform) => platform.blockedCallers,
    columns: {
      REFUSED: (row) => row.refused_calls,
      LAST: (row) => row.last_refused_at,
    },
  });
  addAnswerCommand(blocked, context);

  const allowed = program
    .command('allowed-callers')
    .description('never block callers: for the whole installation, a project (--project) or an agent (--agent)');
  addCallerListCommands<AllowedCallerRow>(allowed, context, {
    command: 'allowed-callers',
    isOnIt: 'allowed',
    adds: 'never block a caller, whatever block lists say',
    of: (platform) => platform.allowedCallers,
    columns: {},
  });
}

function addAnswerCommand(blocked: Command, context: CliContext): void {
  blocked
    .command('answer')
    .description('show or set what blocked callers get: of projects that say nothing else, or of one (--project)')
    .addArgument(
      new Argument('[answer]', 'SIP 603, SIP 607, or an announcement before a rejection').choices([
        ...BLOCKED_CALLER_ANSWERS,
        INHERIT,
      ]),
    )
    .action((answer: BlockedCallerAnswer | typeof INHERIT | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const projectId = options.project === undefined ? null : projectOf(platform, options.project).id;
        const { own, effective } = await (answer === undefined
          ? platform.blockedCallerAnswers.read(projectId)
          : platform.blockedCallerAnswers.set(projectId, answer === INHERIT ? null : answer));
        const whose = options.project === undefined ? 'all projects that say nothing else' : plain(options.project);
        const said = `Blocked callers of ${whose} get: ${effective}${own === null ? ' (the default)' : ''}`;
        result(context.output(options.json), { project_id: projectId, answer: own, effective }, said);
      });
    });
}
