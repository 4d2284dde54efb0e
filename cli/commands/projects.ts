import { Option, type Command } from 'commander';

import type { RecordingAnnouncement } from '../../core/data/rows.js';
import { CLASSES_HELP, CLASSES_OPTION, readClasses } from '../common/destination-classes.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { chosen } from '../common/names.js';
import { fields, result, table } from '../common/output.js';
import { readNumber, type Shared } from '../common/options.js';

interface SetOptions extends Shared {
  readonly recordingRetentionDays?: string;
  readonly recordingAnnouncement?: RecordingAnnouncement;
}

interface CreateOptions extends Shared {
  readonly organization?: string;
  readonly newOrganization?: string;
}

interface LimitsOptions extends Shared {
  readonly destinationClasses?: string;
  readonly maxCalls?: string;
}

export function addProjectCommands(program: Command, context: CliContext): void {
  const projects = program.command('projects').description('create and list projects, and change their settings');
  addLimitsCommand(projects, context);
  addCreateCommand(projects, context);

  projects
    .command('list')
    .description('list all projects')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const organizations = new Map((await platform.contacts.list()).map(({ id, name }) => [id, name]));
        const rows = platform.projects.map(
          ({ id, name, organization_id, main_number, recording_retention_days, recording_announcement }) => ({
            id,
            name,
            organization_id,
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
            ORGANIZATION: (row) => organizations.get(row.organization_id) ?? row.organization_id,
            'MAIN NUMBER': (row) => row.main_number,
            'KEEPS RECORDINGS': (row) => days(row.recording_retention_days),
            ANNOUNCEMENT: (row) => row.recording_announcement,
          },
          `There is no project yet: ${context.commands.start()}`,
        );
        result(context.output(options.json), rows, shown);
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
      if (Object.keys(change).length === 0)
        command.error(`Give at least one setting: ${context.commands.hatif('projects set --help')}`);
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

const NO_ORGANIZATION = {
  problem: 'There is no organization yet.',
  hint: 'Give --new-organization <name>.',
};

function addCreateCommand(projects: Command, context: CliContext): void {
  projects
    .command('create')
    .description('create a project with its own signing secret and the limits of every new project')
    .argument('<name>', '1 to 64 characters')
    .addOption(
      new Option(
        '--organization <organization>',
        'id or name of its organization; required if there are several',
      ).conflicts('newOrganization'),
    )
    .option('--new-organization <name>', 'create its organization, too')
    .action((name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      return context.withPlatform(async (platform) => {
        const { newOrganization } = options;
        const of =
          newOrganization === undefined
            ? chosen(await platform.contacts.list(), options.organization, 'organization', NO_ORGANIZATION)
            : { name: newOrganization };
        const { organization, project } = await platform.createProjects.create(name, of);
        const made = {
          id: project.id,
          name: project.name,
          organization_id: organization.id,
          organization: organization.name,
          destination_classes: project.destination_classes,
          max_calls: project.max_calls,
          created_at: project.created_at,
        };
        const shown = fields({
          project: made.name,
          id: made.id,
          organization: `${made.organization} (${made.organization_id})`,
          'may call': made.destination_classes.join(', '),
          'calls at once': made.max_calls,
        });
        const { hatif } = context.commands;
        const next = hatif(`keys create --name <name> --project ${made.id}`);
        result(context.output(options.json), made, `${shown}\n\nIts first API key: ${next}`);
      });
    });
}

/** The command that shows and sets what a project may call. */
function addLimitsCommand(projects: Command, context: CliContext): void {
  projects
    .command('limits')
    .description('show, or change, what a project may call and how many calls it may have at once')
    .option(CLASSES_OPTION, CLASSES_HELP)
    .option('--max-calls <number>', 'calls at once')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<LimitsOptions>();
      const change = {
        ...(options.destinationClasses !== undefined && {
          destination_classes: readClasses(options.destinationClasses),
        }),
        ...(options.maxCalls !== undefined && { max_calls: readNumber('--max-calls', options.maxCalls) }),
      };
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        if (Object.keys(change).length > 0) await platform.limits.set(project.id, change);
        const { name, destination_classes, max_calls } = { ...project, ...change };
        const shown = fields({
          project: name,
          'may call': destination_classes.join(', ') || 'none',
          'calls at once': max_calls,
        });
        result(context.output(options.json), { project: project.id, destination_classes, max_calls }, shown);
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
