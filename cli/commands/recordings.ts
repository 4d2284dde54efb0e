import type { Command } from 'commander';

import type { AnyRecordingObject } from '../../core/model/objects/recording.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface ListOptions extends Shared {
  readonly call?: string;
  readonly limit: string;
}

export function addRecordingCommands(program: Command, context: CliContext): void {
  const ID = `its id, as \`${context.commands.hatif('recordings list')}\` shows it`;
  const recordings = program.command('recordings').description('list, hold and delete recordings of calls');

  recordings
    .command('list')
    .description('list the recordings of a project, newest first')
    .option('--call <id>', 'only those of this call')
    .option('--limit <number>', 'maximum number of recordings', '50')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1) throw new CliError('--limit: must be a number above 0.', EXIT.usage);
      return context.withPlatform(async (platform) => {
        const { id } = projectOf(platform, options.project);
        const rows = await platform.recordings.list(id, options.call ?? null, limit);
        result(context.output(options.json), rows, show(rows));
      });
    });

  const hold = (name: 'hold' | 'release', description: string, held: boolean, said: string) =>
    recordings
      .command(name)
      .description(description)
      .argument('<id>', ID)
      .action((id: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<Shared>();
        return context.withPlatform(async (platform) => {
          const project = projectOf(platform, options.project);
          const recording = await platform.recordings.setLegalHold(project.id, id, held);
          result(context.output(options.json), recording, `The recording ${recording.recording_id} ${said}.`);
        });
      });
  hold('hold', 'put a recording under legal hold, so that nothing deletes it', true, 'is under legal hold');
  hold('release', 'end a recording’s legal hold', false, 'is no longer under legal hold');

  recordings
    .command('delete')
    .description('delete a recording permanently')
    .argument('<id>', ID)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const audioGone = await platform.recordings.delete(projectOf(platform, options.project).id, id);
        const said = audioGone ? 'is deleted' : 'is deleted; its audio is removed once the storage can be reached';
        result(
          context.output(options.json),
          { recording_id: id, audio_gone: audioGone },
          `The recording ${id} ${said}.`,
        );
      });
    });
}

function show(rows: readonly AnyRecordingObject[]): string {
  return table(
    rows,
    {
      ID: (row) => row.recording_id,
      CALL: (row) => row.call_id ?? `conference ${row.conference_id ?? ''}`,
      LEG: (row) => row.leg,
      STATUS: (row) => row.status,
      STARTED: (row) => new Date(row.started_at),
      SECONDS: (row) => row.duration_seconds,
      BYTES: (row) => row.bytes,
      HELD: (row) => row.legal_hold,
    },
    'There is no recording.',
  );
}
