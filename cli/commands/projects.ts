import { Option, type Command } from 'commander';

import type { RecordingAnnouncement } from '../../core/data/rows.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { fields, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface SetOptions extends Shared {
  readonly recordingRetentionDays?: string;
  readonly recordingAnnouncement?: RecordingAnnouncement;
}

export function addProjectCommands(program: Command, context: CliContext): void {
  const projects = program.command('projects').description('projects and their settings');

  projects
    .command('list')
    .description('list all projects')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform((platform) => {
        const rows = platform.projects.map(
          ({ id, name, main_number, recording_retention_days, recording_announcement }) => ({
            id,
            name,
            main_number,
            recording_retention_days,
            recording_announcement,
          }),
        );
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            NAME: (row) => row.name,
            'MAIN NUMBER': (row) => row.main_number,
            'KEEPS RECORDINGS': (row) => days(row.recording_retention_days),
            ANNOUNCEMENT: (row) => row.recording_announcement,
          },
          'There is no project yet: npm start',
        );
        result(context.output(options.json), rows, shown);
        return Promise.resolve();
      });
    });

  projects
    .command('set')
    .description('change settings of a project')
    .option('--recording-retention-days <days>', 'keep recordings for this number of days, or forever')
    .addOption(
      new Option(
        '--recording-announcement <language>',
        'language in which customers hear that they are recorded, before the recording starts',
      ).choices(['off', 'ar', 'en', 'both'] satisfies RecordingAnnouncement[]),
    )
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      const { recordingRetentionDays: retention, recordingAnnouncement: announcement } = options;
      const change = {
        ...(retention !== undefined && { recording_retention_days: readDays(retention) }),
        ...(announcement !== undefined && { recording_announcement: announcement }),
      };
      if (Object.keys(change).length === 0) command.error('Give at least one setting: hatif projects set --help');
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        await platform.recordings.setPolicy(project.id, change);
        const { name, recording_retention_days, recording_announcement } = { ...project, ...change };
        const shown = fields({
          project: name,
          'keeps recordings': days(recording_retention_days),
          announcement: recording_announcement,
        });
        result(
          context.output(options.json),
          { project: project.id, recording_retention_days, recording_announcement },
          shown,
        );
      });
    });
}

function readDays(text: string): number | null {
  if (text === 'forever') return null;
  if (!/^\d+$/.test(text)) {
    throw new CliError('--recording-retention-days: must be a number of days, or forever.', EXIT.usage);
  }
  return Number(text);
}

function days(count: number | null): string {
  if (count === null) return 'forever';
  return count === 1 ? '1 day' : `${count} days`;
}
